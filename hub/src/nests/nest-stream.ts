import type { ServerResponse } from "node:http";
import type { Clock } from "@nest/kit";
import { NestError } from "@nest/kit";
import { type nests, stream } from "@nest/protocol";

interface Watcher {
  readonly response: ServerResponse;
  readonly nestId: string;
  readonly login: string;
  /** The nest as this watcher may see it now; undefined when they may not any more, or it is gone. */
  readonly look: () => Promise<nests.NestDetail | undefined>;
  /** What was sent last: an unchanged nest is not sent again. */
  sent: string;
}

export interface NestStreamDeps {
  readonly clock: Clock;
  /** Calls back with the id of each nest whose record changes; answers with the end of that. */
  readonly onChange: (listener: (nestId: string) => void) => () => void;
}

const MOST_WATCHERS = 500;
const MOST_OF_ONE = 20;
/** Changes that come within this time are sent as one. */
const TOGETHER_MS = 100;
const MOST_QUEUED_BYTES = 256 * 1024;

/**
 * Server-sent events for who watches a nest being made: `nest` whenever its record changes, a `heartbeat` by which a page knows
 * that the hub lives, `gone` when it was deleted. Records that were edited by hand are noticed with the heartbeat.
 */
export class NestStream {
  readonly #deps: NestStreamDeps;
  readonly #watchers = new Set<Watcher>();
  readonly #due = new Set<string>();
  readonly #endings: (() => void)[];

  constructor(deps: NestStreamDeps) {
    this.#deps = deps;
    const { clock, onChange } = deps;
    this.#endings = [
      onChange((id) => this.#changed(id)),
      clock.every(stream.STREAM_HEARTBEAT_MS, () => {
        const beat = eventOf("heartbeat", { at: new Date(clock.now()).toISOString() });
        for (const watcher of this.#watchers) {
          this.#write(watcher, beat);
          void this.#show(watcher);
        }
      }),
    ];
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  /**
   * Sends a nest's changes to a response until it closes.
   *
   * @throws NestError `too_many_requests`
   */
  async watch(response: ServerResponse, watching: Pick<Watcher, "nestId" | "login" | "look">): Promise<void> {
    const own = [...this.#watchers].filter(({ login }) => login === watching.login).length;
    if (this.#watchers.size >= MOST_WATCHERS || own >= MOST_OF_ONE)
      throw new NestError("too_many_requests", "too many pages follow nests at the moment", {
        hint: "close some and try again in 10 s",
      });
    const watcher: Watcher = { ...watching, response, sent: "" };
    this.#watchers.add(watcher);
    for (const end of ["close", "error"] as const) response.on(end, () => this.#watchers.delete(watcher));
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      connection: "keep-alive",
    });
    response.write("retry: 2000\n\n");
    await this.#show(watcher);
  }

  close(): void {
    for (const end of this.#endings) end();
    for (const { response } of this.#watchers) response.end();
  }

  #changed(nestId: string): void {
    if (this.#due.has(nestId) || ![...this.#watchers].some((watcher) => watcher.nestId === nestId)) return;
    this.#due.add(nestId);
    this.#deps.clock.after(TOGETHER_MS, () => {
      this.#due.delete(nestId);
      for (const watcher of this.#watchers) if (watcher.nestId === nestId) void this.#show(watcher);
    });
  }

  async #show(watcher: Watcher): Promise<void> {
    const nest = await watcher.look().catch(() => undefined);
    if (!this.#watchers.has(watcher)) return;
    if (nest === undefined) {
      this.#write(watcher, eventOf("gone", { id: watcher.nestId }));
      watcher.response.end();
      this.#watchers.delete(watcher);
      return;
    }
    const event = eventOf("nest", nest);
    if (event === watcher.sent) return;
    watcher.sent = event;
    this.#write(watcher, event);
  }

  #write({ response }: Watcher, text: string): void {
    if (response.writableLength > MOST_QUEUED_BYTES) response.destroy();
    else response.write(text);
  }
}

function eventOf(name: keyof typeof nests.nestEvents, value: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
}
