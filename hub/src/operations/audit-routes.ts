import { contributors } from "@nest/protocol";
import type { HubRoutes } from "../access/viewer.ts";
import type { AuditLog } from "./audit-log.ts";
import { sendFile, whileSomebodyWaits } from "./file-answer.ts";

export interface AuditRouteDeps {
  readonly auditLog: AuditLog;
  readonly now: () => number;
}

/** The audit: a page at a time, and as a file that is sent while it is read. */
export function registerAuditRoutes(routes: HubRoutes, { auditLog, now }: AuditRouteDeps): void {
  routes.serve(contributors.audit, ({ query, reply }) => auditLog.page(query, whileSomebodyWaits(reply)));
  routes.serve(contributors.exportAudit, ({ query: { format, ...filter }, request, reply }) =>
    sendFile(
      { request, reply },
      { format, day: now() },
      {
        name: "audit",
        columns: ["id", "at", "actor", "action", "subject", "before", "after"],
        cellsOf: ({ id, at, actor, action, subject, before, after }: contributors.AuditEntry) => [
          ...[id, at, actor, action, subject],
          ...[textOf(before), textOf(after)],
        ],
        rows: (signal) => auditLog.all(filter, signal),
      },
    ),
  );
}

/** A value as a cell: a text as it is, anything else as JSON. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}
