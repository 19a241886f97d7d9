import { createHash } from "node:crypto";
import { readdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent, makePrivateFolder, readTextIfPresent, writeFileAtomic } from "@nest/kit";
import { type RelayMessage, readRelayFrame } from "@nest/protocol";

/** At most this many reports of one identity wait for an acknowledgement; the oldest are dropped. */
const MOST_ENTRIES = 200;

export type TerminalReport = Extract<RelayMessage, { type: "task_complete" | "task_failed" }>;

export interface OutboxEntry {
  readonly saved_at: number;
  readonly report: TerminalReport;
  /** The work that a resume names, where a late report needs one before it. */
  readonly work: { readonly kind: string; readonly repo: string; readonly number: number; readonly title: string };
}

/** Whose reports an outbox holds. */
export interface OutboxOwner {
  readonly hubAddress: string;
  readonly contributorId: string;
  /** The relay's session name: relays that run at once on one state folder have different ones. */
  readonly session: string;
}

/**
 * Terminal reports that a hub has not acknowledged yet, on disk: written before the first sending, so neither a dropped
 * socket nor `kill -9` loses a result. One folder per hub and contributor, and in it one per session, 0700; files 0600.
 */
export class Outbox {
  /** The identity's folder: every session has a folder in it. */
  readonly #ofIdentity: string;
  readonly #folder: string;
  readonly #session: string;

  constructor(stateFolder: string, { hubAddress, contributorId, session }: OutboxOwner) {
    const identity = createHash("sha256").update(`${hubAddress}\n${contributorId}`).digest("hex").slice(0, 32);
    this.#ofIdentity = join(stateFolder, "outbox", identity);
    this.#folder = join(this.#ofIdentity, session);
    this.#session = session;
  }

  /**
   * Takes over the reports that other sessions of the same contributor left for this hub: sessions of relays that have ended,
   * and of releases without session names. `isInUse` says which sessions belong to running relays: their reports are left
   * alone.
   */
  async adopt(isInUse: (session: string) => Promise<boolean>): Promise<void> {
    const found = await readdir(this.#ofIdentity, { withFileTypes: true }).catch(() => []);
    for (const entry of found) {
      if (entry.isFile()) await this.#takeOver(this.#ofIdentity, entry.name);
      if (!entry.isDirectory() || entry.name === this.#session || (await isInUse(entry.name))) continue;
      const folder = join(this.#ofIdentity, entry.name);
      for (const name of await readdir(folder).catch(() => [])) await this.#takeOver(folder, name);
      await rmdir(folder).catch(() => undefined);
    }
  }

  async #takeOver(folder: string, name: string): Promise<void> {
    if (!name.endsWith(".json")) return;
    await makePrivateFolder(this.#folder);
    // Another relay that starts now may have taken it first; then that one sends it.
    await rename(join(folder, name), join(this.#folder, name)).catch(() => undefined);
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
