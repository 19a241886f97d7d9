import type { FastifyReply, FastifyRequest } from "fastify";
import { type Encoding, pack, preferred, WORTH_IT_BYTES } from "./compress.ts";

/** Addresses and audiences whose last answer is kept; strangers can ask for many. */
const MOST_KEPT = 64;
/** Nobody is given an older answer, whatever they accept. */
const MOST_AGE_MS = 2000;
const MAX_AGE = /(?:^|[\s,])max-age=(\d{1,9})(?:$|[\s,])/i;

/** Whoever accepts no age is given an answer of their own. */
const NOT_SHARED = -1;

/** An answer as JSON, and packed as far as somebody wanted it packed. */
interface Kept {
  readonly madeAt: number;
  readonly json: Promise<string>;
  readonly packed: Map<Encoding, Promise<Buffer>>;
}

/**
 * Gives one answer to everybody who asks the same at about the same time: made, written as JSON and compressed once. Only who accepts an
 * answer of some age is given one that was made before they asked (`Cache-Control: max-age` of a request, RFC 9111 §5.2.1.1), and never
 * one from before the last change that this server made or told of.
 */
export class SharedAnswers {
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();

  /** `now`: milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Call after a change was made, and before people are told of one: whoever asks then gets a new answer. */
  forget(): void {
    this.#kept.clear();
  }

  /** Sends the answer to whoever asks. `audience`: those who may be given the same answer. */
  async send(
    { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
    audience: string,
    make: () => unknown,
  ): Promise<FastifyReply> {
    const kept = this.#answer(`${audience} ${request.url}`, acceptedAgeMs(request), make);
    const json = await kept.json;
    reply.type("application/json; charset=utf-8");
    const way = json.length < WORTH_IT_BYTES ? undefined : preferred(request.headers["accept-encoding"]);
    if (way === undefined) return reply.send(json);
    const packed = kept.packed.get(way) ?? pack(json, way);
    kept.packed.set(way, packed);
    return reply
      .header("vary", "accept-encoding")
      .header("content-encoding", way)
      .send(await packed);
  }

  #answer(name: string, acceptedMs: number, make: () => unknown): Kept {
    const now = this.#now();
    const before = this.#kept.get(name);
    if (before !== undefined && now - before.madeAt <= acceptedMs) return before;
    const json = Promise.resolve(make()).then((value) => JSON.stringify(value));
    const kept = { madeAt: now, json, packed: new Map() };
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
    // The next one tries again.
    json.catch(() => this.#kept.get(name) === kept && this.#kept.delete(name));
    return kept;
  }
}

/** How old an answer whoever asks accepts; {@link NOT_SHARED} where they say nothing. */
function acceptedAgeMs({ headers }: FastifyRequest): number {
  const seconds = MAX_AGE.exec(headers["cache-control"] ?? "")?.[1];
  return Math.min(MOST_AGE_MS, Number(seconds ?? 0) * 1000 || NOT_SHARED);
}
