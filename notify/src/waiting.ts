import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type Log, readTextIfPresent, sentenceOf, writeFileAtomic } from "@nest/kit";
import { z } from "zod";

const FILE = "notifications-waiting.json";
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

/** What waits in the channels, in one file of the data folder. Messages in it hold no secret: they were struck out before. */
export class WaitingFile {
  readonly #path: string;
  readonly #log: Log;
  #next: AllWaiting | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(dataFolder: string, log: Log) {
    this.#path = join(dataFolder, FILE);
    this.#log = log;
  }

  /** What waited when the last program ended. Entries that are none are passed over. */
  async read(): Promise<AllWaiting> {
    try {
      const { size } = await stat(this.#path).catch(() => ({ size: 0 }));
      const written = size > MOST_BYTES ? undefined : await readTextIfPresent(this.#path);
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
