import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline as pipeInto, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { type Clock, isAbsent, type Log, makePrivateFolder, type Random, sentenceOf, writeFileAtomic } from "@nest/kit";
import { nestRuns } from "@nest/protocol";
import { runDays } from "./run-days.ts";

type Run = nestRuns.Run;

/** What is kept of a run besides its record. */
const Stored = nestRuns.run.reply;
export type StoredRun = ReturnType<(typeof Stored)["parse"]>;

/** Records without their recording are small: they are kept longer, for the charts. */
const RECORD_DAYS = 90;
const DAY_MS = 86_400_000;
const RUN_ID = /^\d{8}T\d{6}-[a-z0-9_.-]{1,64}-[0-9a-f]{6}$/i;
const FILE = { record: "run.json", recording: "recording.cast", compressed: "recording.cast.gz" } as const;

export interface RunStoreDeps {
  /** `<data>/runs`. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly keep: () => { readonly days: number; readonly bytes: number };
}

/**
 * The runs of a nest's agents on disk, a folder each: `run.json` and the terminal's recording. Records are held in memory without
 * prompt and last lines, newest first. Recordings go by age and by the size of all of them together, records after 90 days.
 */
export class RunStore {
  readonly #deps: RunStoreDeps;
  #runs: Run[] = [];

  private constructor(deps: RunStoreDeps) {
    this.#deps = deps;
  }

  /** Reads what there is. A run that was going on when the program ended is marked as stopped. A broken record is left alone. */
  static async open(deps: RunStoreDeps): Promise<RunStore> {
    const store = new RunStore(deps);
    await makePrivateFolder(deps.folder);
    const names = (await readdir(deps.folder)).filter((name) => RUN_ID.test(name)).sort();
    for (const id of names.reverse()) {
      const stored = await store.#readRecord(id);
      if (stored === undefined) continue;
      if (stored.ended_at === undefined) await store.#endLeftover(stored);
      else store.#runs.push(withoutTexts(stored));
    }
    return store;
  }

  /** Newest first. */
  get runs(): readonly Run[] {
    return this.#runs;
  }

  /** The last days, oldest first, with what was done on each. */
  days(days: number, now: number, agent?: string): ReturnType<typeof runDays> {
    return runDays(this.#runs, days, now, agent);
  }

  /** Tokens of the runs that began since a moment, as far as the CLIs say them. */
  tokensSince(since: number): number {
    const recent = this.#runs.filter((run) => Date.parse(run.started_at) >= since);
    return recent.reduce((sum, run) => sum + (run.usage?.tokens ?? 0), 0);
  }

  /** A new run's name: its moment, its agent and a random end, so that names sort by time. */
  newId(agent: string): string {
    const stamp = new Date(this.#deps.clock.now()).toISOString().replace(/[-:]|\.\d+Z$/g, "");
    return `${stamp}-${agent.replace(/[^A-Za-z0-9_.-]+/g, "-").slice(0, 64)}-${this.#deps.random.hex(3)}`;
  }

  /** Where a run's recording is written while it goes on. */
  recordingPath(id: string): string {
    return join(this.#deps.folder, id, FILE.recording);
  }

  /** Keeps a run that begins; on disk when it returns. */
  async begin(run: StoredRun): Promise<void> {
    await mkdir(join(this.#deps.folder, run.id), { mode: 0o700 });
    await this.#write(run);
    this.#runs.unshift(withoutTexts(run));
  }

  /** Keeps what is known of a run by now. */
  async update(run: StoredRun): Promise<void> {
    await this.#write(run);
  }

  /** Keeps a run that ended, and compresses its recording. */
  async end(run: StoredRun): Promise<Run> {
    const short = await this.#finish(run);
    this.#runs = this.#runs.map((known) => (known.id === run.id ? short : known));
    return short;
  }

  /** A run with its texts; undefined where there is none. */
  async read(id: string): Promise<StoredRun | undefined> {
    return RUN_ID.test(id) ? this.#readRecord(id) : undefined;
  }

  /**
   * The recording of a run as an asciicast, of one that goes on as far as it is on disk: empty while its agent is not started yet.
   * Undefined where there is none.
   */
  async recording(id: string): Promise<Readable | undefined> {
    if (!RUN_ID.test(id)) return undefined;
    const folder = join(this.#deps.folder, id);
    // A run may end between two looks: its recording is then compressed, and the first file gone.
    const kept = (await openFile(join(folder, FILE.recording))) ?? (await unpacked(join(folder, FILE.compressed)));
    if (kept !== undefined) return kept;
    const isGoingOn = this.#runs.some((run) => run.id === id && run.ended_at === undefined);
    return isGoingOn ? Readable.from([]) : undefined;
  }

  /** Removes what is too old, and the oldest recordings while all together are too large. */
  async prune(): Promise<void> {
    const { clock, log, keep } = this.#deps;
    const { days, bytes: most } = keep();
    let bytes = 0;
    const kept: Run[] = [];
    for (const run of this.#runs) {
      const age = clock.now() - Date.parse(run.started_at);
      if (run.ended_at === undefined) {
        kept.push(run);
        continue;
      }
      try {
        if (age > RECORD_DAYS * DAY_MS) {
          await rm(join(this.#deps.folder, run.id), { recursive: true, force: true });
          continue;
        }
        bytes += run.recording_bytes ?? 0;
        const isToGo = run.recording_bytes !== undefined && (age > days * DAY_MS || bytes > most);
        kept.push(isToGo ? await this.#forgetRecording(run) : run);
      } catch (thrown) {
        log.warn({ run: run.id, err: sentenceOf(thrown) }, "an old run cannot be removed");
        kept.push(run);
      }
    }
    this.#runs = kept;
  }

  async #forgetRecording(run: Run): Promise<Run> {
    await rm(join(this.#deps.folder, run.id, FILE.compressed), { force: true });
    const { recording_bytes: _gone, ...rest } = run;
    const stored = await this.#readRecord(run.id);
    if (stored !== undefined) {
      const { recording_bytes: _also, ...without } = stored;
      await this.#write(without);
    }
    return rest;
  }

  async #compress(id: string): Promise<number | undefined> {
    const raw = this.recordingPath(id);
    const compressed = join(this.#deps.folder, id, FILE.compressed);
    try {
      await pipeline(createReadStream(raw), createGzip(), createWriteStream(`${compressed}.new`, { mode: 0o600 }));
      await rename(`${compressed}.new`, compressed);
      await rm(raw, { force: true });
      return (await stat(compressed)).size;
    } catch (thrown) {
      if (!isAbsent(thrown)) this.#deps.log.warn({ run: id, err: sentenceOf(thrown) }, "a recording cannot be kept");
      return undefined;
    }
  }

  async #endLeftover(run: StoredRun): Promise<void> {
    const ended_at = new Date(this.#deps.clock.now()).toISOString();
    const summary = "the nest's program ended during this run";
    this.#runs.push(await this.#finish({ ...run, ended_at, outcome: "stopped", summary }));
  }

  async #finish(run: StoredRun): Promise<Run> {
    const bytes = await this.#compress(run.id);
    const whole: StoredRun = { ...run, ...(bytes === undefined ? {} : { recording_bytes: bytes }) };
    await this.#write(whole);
    return withoutTexts(whole);
  }

  async #readRecord(id: string): Promise<StoredRun | undefined> {
    try {
      const read = Stored.safeParse(JSON.parse(await readFile(join(this.#deps.folder, id, FILE.record), "utf8")));
      return read.success && read.data.id === id ? read.data : undefined;
    } catch {
      return undefined;
    }
  }

  #write(run: StoredRun): Promise<void> {
    return writeFileAtomic(join(this.#deps.folder, run.id, FILE.record), `${JSON.stringify(run)}\n`, { mode: 0o600 });
  }
}

function withoutTexts({ prompt: _prompt, environment: _names, last_lines: _lines, ...run }: StoredRun): Run {
  return run;
}

/** A file to read, open already: whoever removes it takes nothing from the reader. Undefined where it is absent. */
async function openFile(path: string): Promise<Readable | undefined> {
  try {
    return (await open(path)).createReadStream();
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined;
    throw thrown;
  }
}

/** A file, decompressed. Whoever stops reading closes the file too. Undefined where it is absent. */
async function unpacked(path: string): Promise<Readable | undefined> {
  const file = await openFile(path);
  if (file === undefined) return undefined;
  const gunzip = createGunzip();
  pipeInto(file, gunzip, () => undefined);
  return gunzip;
}
