import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent, makePrivateFolder, readTextIfPresent, writeFileAtomic } from "@nest/kit";
import { type RelayMessage, readRelayFrame } from "@nest/protocol";

/** Reports of one identity that wait for an acknowledgement at most; older ones beyond it are given up. */
const MOST_ENTRIES = 200;

export type TerminalReport = Extract<RelayMessage, { type: "task_complete" | "task_failed" }>;

export interface OutboxEntry {
  readonly saved_at: number;
  readonly report: TerminalReport;
  /** What a hub compares when a late report needs a resume before it. */
  readonly work: { readonly kind: string; readonly repo: string; readonly number: number; readonly title: string };
}

/**
 * Terminal reports that a hub has not acknowledged yet, on disk: written before the first sending, so neither a dropped
 * socket nor `kill -9` loses a result. One folder per hub and contributor, 0700; files 0600.
 */
export class Outbox {
  readonly #folder: string;

  constructor(stateFolder: string, hubAddress: string, contributorId: string) {
    const identity = createHash("sha256").update(`${hubAddress}\n${contributorId}`).digest("hex").slice(0, 32);
    this.#folder = join(stateFolder, "outbox", identity);
  }

  /** Saves a report; resolves when it is on disk. A report of the same task and generation is replaced. */
  async put(entry: OutboxEntry): Promise<void> {
    await makePrivateFolder(this.#folder);
    await writeFileAtomic(this.#path(entry.report), JSON.stringify(entry), { mode: 0o600 });
  }

  /** Forgets a report, acknowledged or sent to a hub that does not acknowledge. */
  async remove(taskId: string, taskGen: number | undefined): Promise<void> {
    await rm(join(this.#folder, nameOf(taskId, taskGen)), { force: true });
  }

  /** Everything still waiting, oldest first. A file that cannot be read is left out, and removed. */
  async waiting(): Promise<readonly OutboxEntry[]> {
    const names = await readdir(this.#folder).catch((thrown: unknown) => {
      if (isAbsent(thrown)) return [];
      throw thrown;
    });
    const entries: OutboxEntry[] = [];
    for (const name of names.filter((file) => file.endsWith(".json"))) {
      const entry = parseEntry(await readTextIfPresent(join(this.#folder, name)));
      if (entry === undefined) await rm(join(this.#folder, name), { force: true });
      else entries.push(entry);
    }
    entries.sort((a, b) => a.saved_at - b.saved_at);
    const tooMany = entries.splice(0, Math.max(0, entries.length - MOST_ENTRIES));
    for (const { report } of tooMany) await rm(this.#path(report), { force: true });
    return entries;
  }

  #path({ task_id, task_gen }: TerminalReport): string {
    return join(this.#folder, nameOf(task_id, task_gen));
  }
}

function nameOf(taskId: string, taskGen: number | undefined): string {
  return `${createHash("sha256").update(taskId).digest("hex").slice(0, 32)}-${taskGen ?? 0}.json`;
}

/** An entry as it was saved; the report is read as strictly as a hub would. */
function parseEntry(text: string | undefined): OutboxEntry | undefined {
  try {
    const { saved_at, report, work } = JSON.parse(text ?? "") as OutboxEntry;
    const read = readRelayFrame(JSON.stringify(report));
    if (read.kind !== "message" || typeof saved_at !== "number") return undefined;
    const { message } = read;
    if (message.type !== "task_complete" && message.type !== "task_failed") return undefined;
    const { kind, repo, number, title } = work;
    return { saved_at, report: message, work: { kind, repo, number, title } };
  } catch {
    return undefined;
  }
}
