import { Readable } from "node:stream";
import { contributors } from "@nest/protocol";
import type { FastifyReply } from "fastify";
import type { HubRoutes } from "../access/viewer.ts";
import type { AuditLog } from "./audit-log.ts";
import { csvLine } from "./csv.ts";

type Entries = AsyncIterable<readonly contributors.AuditEntry[]>;

/** The audit: a page at a time, and as a file that is sent while it is read. */
export function registerAuditRoutes(
  routes: HubRoutes,
  { auditLog, now }: { readonly auditLog: AuditLog; readonly now: () => number },
): void {
  routes.serve(contributors.audit, ({ query }) => auditLog.page(query));
  routes.serve(contributors.exportAudit, ({ query: { format, ...filter }, request, reply }) => {
    const day = new Date(now()).toISOString().slice(0, 10);
    reply
      .type(format === "csv" ? "text/csv; charset=utf-8" : "application/json; charset=utf-8")
      .header("content-disposition", `attachment; filename="nest-audit-${day}.${format}"`)
      .header("cache-control", "no-store");
    if (request.method === "HEAD") return reply.send("");
    const entries = auditLog.all(filter);
    return sendParts(reply, format === "csv" ? csvOf(entries) : jsonOf(entries));
  });
}

function sendParts(reply: FastifyReply, parts: AsyncIterable<string>): FastifyReply {
  return reply.send(Readable.from(parts, { objectMode: false }));
}

async function* csvOf(pages: Entries): AsyncGenerator<string> {
  yield csvLine(["id", "at", "actor", "action", "subject", "before", "after"]);
  for await (const entries of pages)
    yield entries
      .map(({ id, at, actor, action, subject, before, after }) =>
        csvLine([id, at, actor, action, subject, textOf(before), textOf(after)]),
      )
      .join("");
}

async function* jsonOf(pages: Entries): AsyncGenerator<string> {
  let between = "[\n";
  for await (const entries of pages) {
    yield between + entries.map((entry) => JSON.stringify(entry)).join(",\n");
    between = ",\n";
  }
  yield between === "[\n" ? "[]\n" : "\n]\n";
}

/** A value as a cell: a text as it is, anything else as JSON. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}
