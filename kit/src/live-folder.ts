import type { Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "./clock.ts";
import { isAbsent, readTextIfPresent } from "./files.ts";

export interface LiveFolderDeps<Value> {
  readonly folder: string;
  /** What the names of its files end with; other files are not seen. */
  readonly ending: string;
  /** What a file says; undefined when it says nothing that counts. It must not throw. */
  readonly parse: (name: string, text: string) => Value | undefined;
  readonly clock: Clock;
}

export interface Reading {
  /**
   * Take what was read at most this long ago without asking the disk, and up to twice as long while the disk is asked; 0 asks each
   * time and waits.
   */
  readonly maxAgeMs?: number;
}

interface Known<Value> {
  readonly mark: string;
  readonly value: Value | undefined;
  checkedAt: number;
}

/**
 * A folder of small files that people may edit by hand: each is read again when it has changed, and not otherwise. Names that
 * differ only in case are one file.
 */
export class LiveFolder<Value> {
  readonly #deps: LiveFolderDeps<Value>;
  readonly #files = new Map<string, Known<Value>>();
  /** Looks at the disk that are under way: with an age allowed, who asks meanwhile waits for them. */
  #forgotten = 0;
  readonly #looking = new Map<string, Promise<Value | undefined>>();
  #listing: Promise<ReadonlyMap<string, string>> | undefined;
  #names: { readonly mark: string; readonly byKey: ReadonlyMap<string, string>; checkedAt: number } | undefined;

  constructor(deps: LiveFolderDeps<Value>) {
    this.#deps = deps;
  }

  /** The names of its files without their ending, sorted. */
  async names(reading: Reading = {}): Promise<string[]> {
    return [...(await this.#index(reading)).values()].sort();
  }

  /** How the file of a name is spelled; undefined when there is none. */
  async spelling(name: string, reading: Reading = {}): Promise<string | undefined> {
    return (await this.#index(reading)).get(name.toLowerCase());
  }

  /** What a file says; undefined when there is none, or when it says nothing that counts. */
  async read(name: string, reading: Reading = {}): Promise<Value | undefined> {
    const spelling = await this.spelling(name, reading);
    if (spelling === undefined) return undefined;
    const known = this.#files.get(spelling);
    const { maxAgeMs = 0 } = reading;
    const age = known === undefined ? Number.POSITIVE_INFINITY : this.#deps.clock.now() - known.checkedAt;
    if (age < maxAgeMs) return known?.value;
    if (maxAgeMs === 0) return this.#readAgain(spelling, known);
    let looking = this.#looking.get(spelling);
    if (looking === undefined) {
      looking = this.#readAgain(spelling, known).finally(() => this.#looking.delete(spelling));
      this.#looking.set(spelling, looking);
    }
    if (age >= 2 * maxAgeMs) return looking;
    looking.catch(() => undefined);
    return known?.value;
  }

  /** This process has changed a file, or made or removed it: what is known of it no longer counts. */
  forget(name: string): void {
    this.#forgotten += 1;
    this.#names = undefined;
    this.#listing = undefined;
    this.#looking.clear();
    for (const spelling of this.#files.keys())
      if (spelling.toLowerCase() === name.toLowerCase()) this.#files.delete(spelling);
  }

  async #readAgain(name: string, known: Known<Value> | undefined): Promise<Value | undefined> {
    const { folder, ending, parse, clock } = this.#deps;
    const forgotten = this.#forgotten;
    const path = join(folder, `${name}${ending}`);
    const mark = await markOf(path);
    if (mark === undefined) {
      this.#files.delete(name);
      return undefined;
    }
    if (known?.mark === mark) {
      known.checkedAt = clock.now();
      return known.value;
    }
    // The mark is older than the text: a change between the two is read at the next look.
    const text = await readTextIfPresent(path);
    const value = text === undefined ? undefined : parse(name, text);
    if (forgotten === this.#forgotten) this.#files.set(name, { mark, value, checkedAt: clock.now() });
    return value;
  }

  async #index({ maxAgeMs = 0 }: Reading): Promise<ReadonlyMap<string, string>> {
    const known = this.#names;
    const age = known === undefined ? Number.POSITIVE_INFINITY : this.#deps.clock.now() - known.checkedAt;
    if (known !== undefined && age < maxAgeMs) return known.byKey;
    if (maxAgeMs === 0) return this.#list();
    this.#listing ??= this.#list().finally(() => {
      this.#listing = undefined;
    });
    if (known === undefined || age >= 2 * maxAgeMs) return this.#listing;
    this.#listing.catch(() => undefined);
    return known.byKey;
  }

  async #list(): Promise<ReadonlyMap<string, string>> {
    const { folder, ending, clock } = this.#deps;
    const known = this.#names;
    const forgotten = this.#forgotten;
    const now = clock.now();
    const mark = (await markOf(folder)) ?? "";
    if (known?.mark === mark && mark !== "") {
      known.checkedAt = clock.now();
      return known.byKey;
    }
    const byKey = await namesIn(folder, ending);
    for (const name of this.#files.keys()) if (byKey.get(name.toLowerCase()) !== name) this.#files.delete(name);
    // A folder that changed in this very moment may change again without its time changing: it is listed anew the next time.
    const isSettled = mark !== "" && now - Number(mark.split(" ")[1]) > SETTLED_MS;
    if (forgotten === this.#forgotten) this.#names = { mark: isSettled ? mark : "", byKey, checkedAt: clock.now() };
    return byKey;
  }
}

/** File systems give changes within some milliseconds the same time. */
const SETTLED_MS = 2000;

async function namesIn(folder: string, ending: string): Promise<ReadonlyMap<string, string>> {
  const byKey = new Map<string, string>();
  try {
    for (const file of (await readdir(folder)).sort()) {
      if (!file.endsWith(ending)) continue;
      const name = file.slice(0, -ending.length);
      byKey.set(name.toLowerCase(), name);
    }
  } catch (thrown) {
    if (!isAbsent(thrown)) throw thrown;
  }
  return byKey;
}

/** Changes when the file or folder changes; undefined when it is not there. */
async function markOf(path: string): Promise<string | undefined> {
  try {
    const { ino, mtimeMs, ctimeMs, size }: Stats = await stat(path);
    return `${ino} ${mtimeMs} ${ctimeMs} ${size}`;
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined;
    throw thrown;
  }
}
