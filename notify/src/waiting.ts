import { readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent, type Log, readTextIfPresent, sentenceOf, writeFileAtomic } from "@nest/kit";
import { z } from "zod";

const FILE = "notifications-waiting";
/** The file of a program that is alone, or of one of several: its id follows, and that of the one from which it took the file over. */
const ANY_FILE = /^notifications-waiting(?:-([0-9a-z]+)(?:\.[0-9a-z]+)?)?\.json$/;
/** What waits in one channel. Of more only the number is kept. */
export const MOST_WAITING = 100;
/** What a channel is sent in an hour; more waits, and comes as one digest. */
export const MOST_AN_HOUR = 20;
/** Twenty full channels are smaller than this; a larger file is none of ours. */
const MOST_BYTES = 8 * 1024 * 1024;

const text = z.string().max(5000);
const WaitingMessage = z.object({
  event: z.string().regex(/^[a-z_]{1,40}$/),
  at: z.iso.datetime(),
  title: text,
  text: z.string().max(20_000),
  link: text.optional(),
  agent: text.optional(),
  issue: text.optional(),
  pull_request: text.optional(),
});

/** What was taken over, and how to say that it is kept elsewhere. */
export interface Taken {
  readonly waiting: readonly AllWaiting[];
  readonly done: () => Promise<void>;
}

/** What of a channel outlives the program. */
export const Waiting = z.object({
  messages: z.array(WaitingMessage).max(MOST_WAITING),
  /** How many more there were than are kept. */
  left_out: z.number().int().min(0),
  /** Whether they were held back, and are therefore told as one. */
  held_back: z.boolean(),
  /** The message that is being sent: it is tried again under the same id. */
  in_hand: z.object({ id: z.string().max(100), message: WaitingMessage }).optional(),
  /** When the last ones were sent: a restart is no way around the limit of an hour. */
  sent_at: z.array(z.number()).max(MOST_AN_HOUR),
});
export type Waiting = z.infer<typeof Waiting>;
export type AllWaiting = ReadonlyMap<string, Waiting>;

/** One of several programs that may share a data folder. */
export interface OneOfSeveral {
  readonly id: string;
  /** Whether another one runs now. */
  readonly isLive: (id: string) => boolean;
}

/** Whether a channel has nothing to go on with. Pure. */
export function isNothing({ messages, left_out, in_hand, sent_at }: Waiting): boolean {
  return messages.length === 0 && left_out === 0 && in_hand === undefined && sent_at.length === 0;
}

/** What waited in two channels of one name, as one. Pure. */
export function mergedWaiting(own: Waiting, other: Waiting): Waiting {
  const inHand = own.in_hand ?? other.in_hand;
  const behind = own.in_hand === undefined || other.in_hand === undefined ? [] : [other.in_hand.message];
  const messages = [...behind, ...other.messages, ...own.messages];
  return {
    messages: messages.slice(0, MOST_WAITING),
    left_out: own.left_out + other.left_out + Math.max(0, messages.length - MOST_WAITING),
    held_back: own.held_back || other.held_back,
    ...(inHand === undefined ? {} : { in_hand: inHand }),
    sent_at: [...own.sent_at, ...other.sent_at].sort((one, two) => one - two).slice(-MOST_AN_HOUR),
  };
}

/**
 * What waits in the channels, in one file of the data folder. Messages in it hold no secret: they were struck out before. Each of
 * several programs that share the folder has a file of its own, and takes over those of programs that are gone.
 */
export class WaitingFile {
  readonly #folder: string;
  readonly #path: string;
  readonly #oneOf: OneOfSeveral | undefined;
  readonly #log: Log;
  #next: AllWaiting | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(dataFolder: string, log: Log, oneOf?: OneOfSeveral) {
    this.#folder = dataFolder;
    this.#oneOf = oneOf;
    this.#path = join(dataFolder, oneOf === undefined ? `${FILE}.json` : `${FILE}-${oneOf.id}.json`);
    this.#log = log;
  }

  /** What waited when the last program ended. Entries that are none are passed over. */
  read(): Promise<AllWaiting> {
    return this.#read(this.#path);
  }

  /**
   * Takes over what programs left that are gone. Of several that try, one gets each file; it lets go of it with {@link Taken.done} once
   * its own file has what was in it, so that a crash between loses nothing.
   */
  async takeOver(): Promise<Taken> {
    const names = await readdir(this.#folder).catch(() => []);
    const taken: string[] = [];
    for (const name of names) if (this.#isLeft(name)) taken.push(...(await this.#take(name)));
    const read = await Promise.all(taken.map((path) => this.#read(path)));
    return {
      waiting: read,
      done: async () => {
        await this.settled();
        await Promise.all(taken.map((path) => rm(path, { force: true })));
      },
    };
  }

  /** Whether a file is of a program that is gone; one that is alone has no id, and is none of several. */
  #isLeft(name: string): boolean {
    const found = ANY_FILE.exec(name);
    if (found === null || this.#oneOf === undefined) return false;
    const [, id] = found;
    return id === undefined || (id !== this.#oneOf.id && !this.#oneOf.isLive(id));
  }

  async #take(name: string): Promise<string[]> {
    const from = (ANY_FILE.exec(name)?.[1] ?? "alone").toString();
    const path = join(this.#folder, `${FILE}-${this.#oneOf?.id}.${from}.json`);
    try {
      await rename(join(this.#folder, name), path);
      return [path];
    } catch (thrown) {
      if (!isAbsent(thrown))
        this.#log.warn({ err: sentenceOf(thrown) }, "notifications that waited cannot be taken over");
      return [];
    }
  }

  async #read(path: string): Promise<AllWaiting> {
    try {
      const { size } = await stat(path).catch(() => ({ size: 0 }));
      const written = size > MOST_BYTES ? undefined : await readTextIfPresent(path);
      const entries = Object.entries(z.record(z.string(), z.unknown()).parse(JSON.parse(written ?? "{}")));
      return new Map(
        entries.flatMap(([name, entry]) => {
          const { success, data } = Waiting.safeParse(entry);
          return success ? [[name, data] as const] : [];
        }),
      );
    } catch (thrown) {
      this.#log.warn({ err: sentenceOf(thrown) }, "notifications that waited cannot be read");
      return new Map();
    }
  }

  /** Writes what waits now. While one write goes on, only the newest of those that come meanwhile is written after it. */
  write(all: AllWaiting): void {
    const isFirst = this.#next === undefined;
    this.#next = all;
    if (isFirst) this.#writing = this.#writing.then(() => this.#write());
  }

  /** Resolves when everything is written. */
  settled(): Promise<void> {
    return this.#writing;
  }

  async #write(): Promise<void> {
    const all = this.#next ?? new Map();
    this.#next = undefined;
    try {
      await writeFileAtomic(this.#path, `${JSON.stringify(Object.fromEntries(all))}\n`, { mode: 0o600 });
    } catch (thrown) {
      this.#log.warn({ err: sentenceOf(thrown) }, "notifications that wait cannot be written");
    }
  }
}
