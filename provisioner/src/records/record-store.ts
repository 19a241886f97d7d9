import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  type Clock,
  isAbsent,
  type Log,
  makePrivateFolder,
  NestError,
  readTextIfPresent,
  sentenceOf,
  type WriteOptions,
  writeFileAtomic,
} from "@nest/kit";
import { HostedNestRecord, NestId, NestTombstone } from "@nest/protocol";
import { type Held, LockLost, RecordLocks } from "./record-lock.ts";

export interface RecordStoreDeps {
  /** The hub's data folder; records are in `saas/nests/<id>/meta.json` below it. */
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Writes a file atomically with mode 0600; replaced in tests that end a hub between two effects. */
  readonly write?: (path: string, text: string, options?: WriteOptions) => Promise<void>;
}

/** What changed: the record as it is now, or undefined for one that was deleted. */
export type RecordListener = (id: string, record: HostedNestRecord | undefined) => void;

interface Cached {
  readonly stamp: string;
  /** Undefined: the file is malformed, which was told. */
  readonly record: HostedNestRecord | undefined;
}

/**
 * The records of hosted nests, one file each, read live: a file that somebody writes or edits by hand counts from the next look
 * (spec: Hosted instance record). Parsed records are kept as long as their file is the same. Changes are one after the other for
 * each record, also those of other processes on this data folder; they replace the file atomically and count its `revision`.
 */
export class RecordStore {
  readonly #deps: RecordStoreDeps;
  readonly #folder: string;
  readonly #graves: string;
  readonly #write: (path: string, text: string, options?: WriteOptions) => Promise<void>;
  readonly #locks: RecordLocks;
  readonly #cache = new Map<string, Cached>();
  readonly #listeners = new Set<RecordListener>();

  constructor(deps: RecordStoreDeps) {
    this.#deps = deps;
    this.#folder = join(deps.dataFolder, "saas", "nests");
    this.#graves = join(deps.dataFolder, "saas", "tombstones");
    this.#write = deps.write ?? writeFileAtomic;
    // Not below saas/: a backup has all of that.
    this.#locks = new RecordLocks(join(deps.dataFolder, "locks", "nests"), deps.clock);
  }

  /** Where all records are. */
  get folder(): string {
    return this.#folder;
  }

  /** The folder of a nest's record. @throws NestError `nest_not_found` for what is no id, so that none leads elsewhere. */
  folderOf(id: string): string {
    if (!NestId.safeParse(id).success) throw nestNotFound();
    return join(this.#folder, id);
  }

  /** Undefined when there is none. @throws NestError `nest_record_malformed` with what is wrong. */
  async read(id: string): Promise<HostedNestRecord | undefined> {
    if (!NestId.safeParse(id).success) return undefined;
    const text = await readTextIfPresent(this.#fileOf(id)).catch((thrown: unknown) => {
      throw malformed(id, sentenceOf(thrown), thrown);
    });
    return text === undefined ? undefined : parseRecord(id, text);
  }

  /** @throws NestError `nest_not_found` (spec: Errors) when there is none. */
  async get(id: string): Promise<HostedNestRecord> {
    const record = await this.read(id);
    if (record === undefined) throw nestNotFound();
    return record;
  }

  /** All records, by id. A malformed one is told of once by name and left out; one that vanished meanwhile is left out. */
  async list(): Promise<readonly HostedNestRecord[]> {
    const names = await readdir(this.#folder).catch((thrown: unknown) => {
      if (isAbsent(thrown)) return [];
      throw thrown;
    });
    const ids = names.filter((name) => NestId.safeParse(name).success).sort();
    for (const known of [...this.#cache.keys()]) if (!ids.includes(known)) this.#cache.delete(known);
    const records: HostedNestRecord[] = [];
    for (let at = 0; at < ids.length; at += 50)
      for (const record of await Promise.all(ids.slice(at, at + 50).map((id) => this.#cached(id))))
        if (record !== undefined) records.push(record);
    return records;
  }

  /** Makes a record. @throws NestError `nest_exists` where there is one, or was one that left a tombstone. */
  async create(record: HostedNestRecord): Promise<HostedNestRecord> {
    const folder = this.folderOf(record.id);
    return this.#locked(record.id, async (held) => {
      if ((await this.tombstone(record.id)) !== undefined) throw exists(record.id);
      await makePrivateFolder(this.#folder);
      await mkdir(folder, { mode: 0o700 }).catch((thrown: NodeJS.ErrnoException) => {
        if (thrown.code !== "EEXIST") throw thrown;
      });
      if ((await this.read(record.id)) !== undefined) throw exists(record.id);
      return this.#save({ ...record, revision: 1 }, held);
    });
  }

  /**
   * Changes a record: `change` gets it as the file has it now and answers with the new one, or with undefined to leave it.
   *
   * @throws NestError `nest_not_found`; `nest_changed` when `revision` is given and the record has another one by now.
   */
  async change(
    id: string,
    change: (record: HostedNestRecord) => HostedNestRecord | undefined,
    revision?: number,
  ): Promise<HostedNestRecord> {
    return this.#locked(id, async (held) => {
      const before = await this.get(id);
      if (revision !== undefined && revision !== before.revision) throw changed(id);
      const after = change(before);
      return after === undefined ? before : this.#save({ ...after, id, revision: before.revision + 1 }, held);
    });
  }

  /** Removes a record and what lies beside it; leaves a tombstone, so that a late heartbeat does not bring the nest back. */
  async bury(id: string, by: string): Promise<void> {
    const folder = this.folderOf(id);
    await this.#locked(id, async (held) => {
      const record = await this.read(id).catch(() => undefined);
      const stone: NestTombstone = {
        id,
        owner: record?.owner ?? "",
        cluster_id: record?.cluster_id ?? "",
        deleted_at: new Date(this.#deps.clock.now()).toISOString(),
        deleted_by: by,
      };
      await makePrivateFolder(this.#graves);
      const options = { beforeReplacing: held.stillMine };
      await this.#write(join(this.#graves, `${id}.json`), `${JSON.stringify(stone, undefined, 2)}\n`, options);
      await rm(folder, { recursive: true, force: true });
      this.#cache.delete(id);
    });
    this.#tell(id, undefined);
  }

  /** What is left of a deleted nest; undefined where none of that id was deleted. */
  async tombstone(id: string): Promise<NestTombstone | undefined> {
    if (!NestId.safeParse(id).success) return undefined;
    const text = await readTextIfPresent(join(this.#graves, `${id}.json`));
    if (text === undefined) return undefined;
    const read = NestTombstone.safeParse(jsonOf(text));
    return read.success ? read.data : { id, owner: "", cluster_id: "", deleted_at: "", deleted_by: "" };
  }

  /** Whether an id is or was in use. */
  async isTaken(id: string): Promise<boolean> {
    const folder = await stat(this.folderOf(id)).catch(() => undefined);
    return folder !== undefined || (await this.tombstone(id)) !== undefined;
  }

  /** Tells of each change that is made through this store; answers with the end of that. */
  onChange(listener: RecordListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #fileOf(id: string): string {
    return join(this.folderOf(id), "meta.json");
  }

  async #cached(id: string): Promise<HostedNestRecord | undefined> {
    const file = this.#fileOf(id);
    const found = await stat(file, { bigint: true }).catch(() => undefined);
    if (found === undefined) {
      this.#cache.delete(id);
      return undefined;
    }
    const stamp = `${found.ino}:${found.mtimeNs}:${found.size}`;
    const known = this.#cache.get(id);
    if (known?.stamp === stamp) return known.record;
    const record = await this.read(id).catch((thrown: unknown) => {
      this.#deps.log.warn({ nest: id, because: sentenceOf(thrown) }, "the record of a nest is left out");
      return undefined;
    });
    this.#cache.set(id, { stamp, record });
    return record;
  }

  /** Changes a record when nobody else does. */
  async #locked<Result>(id: string, change: (held: Held) => Promise<Result>): Promise<Result> {
    // Not for a name that leads elsewhere.
    this.folderOf(id);
    return this.#locks.run(id, change).catch((thrown: unknown) => {
      throw thrown instanceof LockLost ? changed(id) : thrown;
    });
  }

  async #save(record: HostedNestRecord, { stillMine }: Held): Promise<HostedNestRecord> {
    const checked = HostedNestRecord.parse(record);
    const text = `${JSON.stringify(checked, undefined, 2)}\n`;
    await this.#write(this.#fileOf(checked.id), text, { beforeReplacing: stillMine });
    this.#tell(checked.id, checked);
    return checked;
  }

  #tell(id: string, record: HostedNestRecord | undefined): void {
    for (const listener of this.#listeners) listener(id, record);
  }
}

/** A record written by hand may leave keys out, or write null for them. */
function parseRecord(id: string, text: string): HostedNestRecord {
  const value = jsonOf(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw malformed(id, "not a JSON object");
  const present = Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null));
  const read = HostedNestRecord.safeParse({ id, ...present });
  if (!read.success) {
    const [issue] = read.error.issues;
    throw malformed(id, `${issue?.path.join(".") ?? ""}: ${issue?.message.toLowerCase() ?? "wrong"}`);
  }
  if (read.data.id !== id) throw malformed(id, `its id is ${JSON.stringify(read.data.id)}`);
  return read.data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function nestNotFound(): NestError {
  return new NestError("nest_not_found", "nest not found");
}

function exists(id: string): NestError {
  return new NestError("nest_exists", `there is a nest ${id} already, or there was one`);
}

function changed(id: string): NestError {
  return new NestError("nest_changed", `the record of ${id} was changed meanwhile`, {
    hint: "read it again and repeat",
  });
}

function malformed(id: string, because: string, cause?: unknown): NestError {
  return new NestError("nest_record_malformed", `the record of ${id} is malformed: ${because}`, {
    hint: `repair saas/nests/${id}/meta.json in the hub's data folder`,
    ...(cause === undefined ? {} : { cause }),
  });
}
