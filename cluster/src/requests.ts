import type { IncomingMessage } from "node:http";
import { request as requestPlain } from "node:http";
import { type RequestOptions, request as requestTls } from "node:https";
import { backoffMs, type Clock, NestError, plainLine, type Random } from "@nest/kit";
import { ClusterBusy, type ClusterFault, clusterFault, clusterUnreachable } from "./cluster.ts";
import type { Credentials } from "./credentials.ts";

/** A Secret is at most 1 MiB, but a page of a list may be longer. */
const MOST_ANSWER_BYTES = 32 * 1024 * 1024;
const MOST_TRIES = 4;
const BETWEEN_TRIES = { firstMs: 500, longestMs: 8000 };
/** A cluster that asks for a longer pause is not waited for here: the caller plans anew. */
const LONGEST_PAUSE_MS = 30_000;
const MOST_WORDS = 300;

export interface Timing {
  readonly clock: Clock;
  readonly random: Random;
  /** How long one request may take as a whole, in milliseconds. */
  readonly requestMs: number;
  /** How long a watch may be silent before its connection counts as lost; servers send a bookmark each minute. */
  readonly silenceMs: number;
}

export interface ApiCall {
  readonly method: "DELETE" | "GET" | "PATCH" | "POST";
  readonly path: string;
  /** What it is about, for a sentence: `apply Deployment nest-hosted-a/nest`. */
  readonly what: string;
  readonly signal: AbortSignal;
  readonly body?: { readonly type: string; readonly json: object };
  /** Do not try again; the caller has its own patience. */
  readonly isOnce?: boolean;
  /** Texts that the cluster might repeat in its words and nobody may read. */
  readonly unsaid?: (words: string) => string;
}

export interface ApiAnswer {
  readonly body: Readonly<Record<string, unknown>>;
  readonly bytes: number;
}

/**
 * Sends requests to an API server. Each is limited in time and size and ends with its signal. What may be repeated is repeated
 * after 429, 503 and a reset connection, a few times and as late as the server asks. Redirects are not followed, because the
 * credentials are meant for one server.
 */
export class ApiRequests {
  readonly #credentials: Credentials;
  readonly #timing: Timing;

  constructor(credentials: Credentials, timing: Timing) {
    this.#credentials = credentials;
    this.#timing = timing;
  }

  /** The answer's JSON object; a {@link ClusterFault} for any status but 2xx. */
  async send(call: ApiCall): Promise<ApiAnswer> {
    let renewed = false;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#limited(call);
      } catch (thrown) {
        if (thrown instanceof NestError && thrown.code === "cluster_unauthorized" && !renewed) {
          renewed = true;
          await this.#credentials.renew();
          continue;
        }
        const pauseMs = call.isOnce === true ? undefined : this.#pauseAfter(thrown, attempt);
        if (pauseMs === undefined) throw thrown;
        await this.#timing.clock.sleep(pauseMs, call.signal);
      }
    }
  }

  /** Opens an answer that does not end, and gives its pieces as they come. Ends with `cluster_timeout` after a silence. */
  async *pieces(call: ApiCall): AsyncGenerator<Buffer> {
    const options = await this.#credentials.options(call.what, call.signal);
    const quiet = new AbortController();
    const signal = AbortSignal.any([call.signal, quiet.signal]);
    const { silenceMs, clock } = this.#timing;
    const listen = () =>
      clock.after(silenceMs, () => {
        quiet.abort(new NestError("cluster_timeout", `${call.what}: nothing was heard for ${silenceMs} ms`));
      });
    let cancel = listen();
    try {
      const answer = await headOf(this.#credentials.url(call.path), { ...options, method: call.method, signal });
      if (answer.statusCode !== 200) {
        const { text } = await wholeOf(answer);
        throw faultOf(answer, text, call);
      }
      for await (const piece of answer) {
        cancel();
        cancel = listen();
        yield piece as Buffer;
      }
    } catch (thrown) {
      call.signal.throwIfAborted();
      quiet.signal.throwIfAborted();
      throw thrown instanceof NestError ? thrown : clusterUnreachable(call.what, thrown);
    } finally {
      cancel();
      quiet.abort();
    }
  }

  async #limited(call: ApiCall): Promise<ApiAnswer> {
    const late = new AbortController();
    const { requestMs, clock } = this.#timing;
    const cancel = clock.after(requestMs, () => {
      late.abort(new NestError("cluster_timeout", `${call.what}: no answer within ${requestMs} ms`));
    });
    try {
      return await this.#once(call, AbortSignal.any([call.signal, late.signal]));
    } catch (thrown) {
      call.signal.throwIfAborted();
      late.signal.throwIfAborted();
      throw thrown instanceof NestError ? thrown : clusterUnreachable(call.what, thrown);
    } finally {
      cancel();
    }
  }

  async #once(call: ApiCall, signal: AbortSignal): Promise<ApiAnswer> {
    const options: RequestOptions = {
      ...(await this.#credentials.options(call.what, signal)),
      method: call.method,
      signal,
    };
    const text = call.body === undefined ? undefined : JSON.stringify(call.body.json);
    if (call.body !== undefined && text !== undefined) {
      const length = String(Buffer.byteLength(text));
      options.headers = { ...options.headers, "content-type": call.body.type, "content-length": length };
    }
    const answer = await headOf(this.#credentials.url(call.path), options, text);
    const { text: said, bytes } = await wholeOf(answer);
    const status = answer.statusCode ?? 0;
    if (status < 200 || status > 299) throw faultOf(answer, said, call);
    const body = parsed(said);
    if (body === undefined) throw new NestError("cluster_failed", `${call.what}: the answer is not a JSON object`);
    return { body, bytes };
  }

  #pauseAfter(thrown: unknown, attempt: number): number | undefined {
    if (attempt + 1 >= MOST_TRIES || !(thrown instanceof NestError)) return undefined;
    const pauseMs = backoffMs(attempt, BETWEEN_TRIES, this.#timing.random);
    if (thrown instanceof ClusterBusy) {
      const asked = thrown.retryAfterMs ?? 0;
      return asked > LONGEST_PAUSE_MS ? undefined : Math.max(asked, pauseMs);
    }
    const cause = thrown.cause as NodeJS.ErrnoException | undefined;
    return cause?.code === "ECONNRESET" || cause?.code === "EPIPE" ? pauseMs : undefined;
  }
}

function headOf(url: URL, options: RequestOptions, body?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? requestTls : requestPlain;
    const sent = send(url, options, resolve);
    sent.on("error", reject);
    sent.end(body);
  });
}

async function wholeOf(answer: IncomingMessage): Promise<{ text: string; bytes: number }> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > MOST_ANSWER_BYTES) throw new NestError("cluster_failed", "the cluster's answer is too long");
    pieces.push(piece);
  }
  return { text: Buffer.concat(pieces).toString("utf8"), bytes };
}

function faultOf(answer: IncomingMessage, text: string, call: ApiCall): NestError<ClusterFault> {
  const message = (parsed(text) as { message?: unknown } | undefined)?.message;
  const words = plainLine(typeof message === "string" ? message : "");
  const said = (call.unsaid?.(words) ?? words).slice(0, MOST_WORDS);
  return clusterFault(answer.statusCode ?? 0, call.what, said, pauseAskedFor(answer.headers["retry-after"]));
}

/** `Retry-After` in milliseconds. API servers write whole seconds; anything else counts as absent. */
function pauseAskedFor(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
