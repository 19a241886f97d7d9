import { open } from "node:fs/promises";
import { join } from "node:path";

export interface AuditLine {
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  /** Whom or what it was done to. */
  readonly subject?: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Appends a line to the spoke's audit, `<data>/audit.jsonl`; on disk when it returns. Values of secrets are `[secret]`. */
export async function appendAudit(dataFolder: string, line: AuditLine): Promise<void> {
  const file = await open(join(dataFolder, "audit.jsonl"), "a", 0o600);
  try {
    await file.appendFile(`${JSON.stringify(line)}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
}
