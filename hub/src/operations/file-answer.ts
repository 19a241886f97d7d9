import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { csvLine } from "./csv.ts";

/** A list as a file: its name, the columns of its CSV, and a row's cells. */
export interface FileOf<Row> {
  readonly name: string;
  readonly columns: readonly string[];
  readonly cellsOf: (row: Row) => readonly (string | number | undefined)[];
  /** Aborted once whoever asked is gone. */
  readonly rows: (signal: AbortSignal) => AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;
}

/** A signal that is aborted once an answer is sent, or whoever asked is gone. */
export function whileSomebodyWaits(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  return gone.signal;
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
  const rows = file.rows(whileSomebodyWaits(reply));
  return reply.send(Readable.from(format === "csv" ? csvOf(file, rows) : jsonOf(rows), { objectMode: false }));
}

type Rows<Row> = ReturnType<FileOf<Row>["rows"]>;

async function* csvOf<Row>({ columns, cellsOf }: FileOf<Row>, rows: Rows<Row>): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const some of rows) yield some.map((row) => csvLine(cellsOf(row))).join("");
}

async function* jsonOf<Row>(rows: Rows<Row>): AsyncGenerator<string> {
  let between = "[\n";
  for await (const some of rows) {
    if (some.length === 0) continue;
    yield between + some.map((row) => JSON.stringify(row)).join(",\n");
    between = ",\n";
  }
  yield between === "[\n" ? "[]\n" : "\n]\n";
}
