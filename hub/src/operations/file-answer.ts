import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { csvLine } from "./csv.ts";

/** A list as a file: its name, the columns of its CSV, and a row's cells. */
export interface FileOf<Row> {
  readonly name: string;
  readonly columns: readonly string[];
  readonly cellsOf: (row: Row) => readonly (string | number | undefined)[];
  readonly rows: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;
}

/** Sends a list as CSV or as a JSON list, while it is read: nobody holds the whole of it. */
export function sendFile<Row>(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { format, day }: { readonly format: "csv" | "json"; readonly day: number },
  file: FileOf<Row>,
): FastifyReply {
  reply
    .type(format === "csv" ? "text/csv; charset=utf-8" : "application/json; charset=utf-8")
    .header(
      "content-disposition",
      `attachment; filename="nest-${file.name}-${new Date(day).toISOString().slice(0, 10)}.${format}"`,
    )
    .header("cache-control", "no-store");
  if (request.method === "HEAD") return reply.send("");
  return reply.send(Readable.from(format === "csv" ? csvOf(file) : jsonOf(file), { objectMode: false }));
}

async function* csvOf<Row>({ columns, cellsOf, rows }: FileOf<Row>): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const some of rows) yield some.map((row) => csvLine(cellsOf(row))).join("");
}

async function* jsonOf<Row>({ rows }: FileOf<Row>): AsyncGenerator<string> {
  let between = "[\n";
  for await (const some of rows) {
    if (some.length === 0) continue;
    yield between + some.map((row) => JSON.stringify(row)).join(",\n");
    between = ",\n";
  }
  yield between === "[\n" ? "[]\n" : "\n]\n";
}
