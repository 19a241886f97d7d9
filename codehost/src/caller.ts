import { backoffMs, type Clock, type Random } from "@nest/kit";
import { Octokit } from "@octokit/rest";
import { badAnswer, notFound, rateLimited, refused, unreachable } from "./failures.ts";

export interface CallerOptions {
  readonly apiUrl: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Longest single wait for a rate limit; a longer one is thrown as codehost_rate_limited. */
  readonly maxWaitMs: number;
  readonly timeoutMs: number;
}

export interface Call {
  /** Named in failures, for people: `issues of acme/widgets`. */
  readonly what: string;
  /** `GET /repos/{owner}/{repo}/issues`. */
  readonly route: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** The whole Authorization header. */
  readonly authorization: string | undefined;
  /**
   * Whose rate limit the call counts against. All calls of one identity wait for its limit together. `stranger` stands for
   * somebody else's token: its limit delays none of our calls, and we do not wait for it.
   */
  readonly identity: "installation" | "app" | "stranger";
  /** After a 401: another Authorization header, if there is one. The call is tried once more with it. */
  readonly renew?: () => Promise<string | undefined>;
  readonly etag?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer {
  readonly status: number;
  /** Undefined with status 304. */
  readonly data: unknown;
  readonly etag: string | undefined;
  readonly link: string | undefined;
}

/** How often a failed request is tried again before it is given up. */
const RETRIES = 3;
/** How many rate limits one call waits for before it is given up. */
const RATE_LIMIT_WAITS = 3;
const RETRY_BOUNDS = { firstMs: 500, longestMs: 10_000 };
/** Secondary limits that name no time: the platform asks for at least a minute. */
const UNNAMED_WAIT_MS = 60_000;
/** The platform gives all callers the same reset time. A random delay of up to this much spreads their return. */
const SPREAD_MS = 2_000;

type Verdict =
  | { readonly kind: "wait"; readonly untilMs: number }
  | { readonly kind: "retry"; readonly failure: Error }
  | { readonly kind: "unauthorized"; readonly failure: Error }
  | { readonly kind: "failed"; readonly failure: Error };

/**
 * Sends requests to the platform, with a time-out, retries, and waits for rate limits. When an identity's limit is hit, all of
 * its calls wait until that is over.
 */
export class Caller {
  readonly #options: CallerOptions;
  readonly #octokit: Octokit;
  /** Until when (ms) an identity's calls wait. */
  readonly #closedUntil = new Map<Call["identity"], number>();

  constructor(options: CallerOptions) {
    this.#options = options;
    const silent = () => {};
    this.#octokit = new Octokit({
      baseUrl: options.apiUrl,
      userAgent: "nest",
      log: { debug: silent, info: silent, warn: silent, error: silent },
    });
  }

  /** The answer; 304 is one too. @throws NestError with a code-host code, or the signal's reason. */
  async send(call: Call): Promise<Answer> {
    let waits = 0;
    let sent = call;
    for (let attempt = 0; ; ) {
      await this.#passGate(sent);
      const outcome = await this.#once(sent);
      if ("status" in outcome) return outcome;
      if (outcome.kind === "failed") throw outcome.failure;
      if (outcome.kind === "unauthorized") {
        const authorization = await sent.renew?.();
        if (authorization === undefined) throw outcome.failure;
        sent = { ...call, authorization, renew: noOther };
        continue;
      }
      if (outcome.kind === "wait") {
        if (call.identity === "stranger" || ++waits > RATE_LIMIT_WAITS) throw rateLimited(call.what, outcome.untilMs);
        this.#closedUntil.set(call.identity, Math.max(this.#closesAt(call), outcome.untilMs));
        continue;
      }
      if (attempt >= RETRIES) throw outcome.failure;
      await this.#options.clock.sleep(backoffMs(attempt, RETRY_BOUNDS, this.#options.random), call.signal);
      attempt += 1;
    }
  }

  async #passGate(call: Call): Promise<void> {
    const { clock, random, maxWaitMs } = this.#options;
    for (;;) {
      call.signal?.throwIfAborted();
      const waitMs = this.#closesAt(call) - clock.now();
      if (waitMs <= 0) return;
      if (waitMs > maxWaitMs) throw rateLimited(call.what, this.#closesAt(call));
      await clock.sleep(waitMs + Math.round(random.fraction() * SPREAD_MS), call.signal);
    }
  }

  #closesAt({ identity }: Call): number {
    return this.#closedUntil.get(identity) ?? 0;
  }

  async #once(call: Call): Promise<Answer | Verdict> {
    const timeout = new AbortController();
    const cancel = this.#options.clock.after(this.#options.timeoutMs, () => timeout.abort());
    const signal = call.signal === undefined ? timeout.signal : AbortSignal.any([timeout.signal, call.signal]);
    try {
      const response = await this.#octokit.request(call.route, {
        ...call.parameters,
        headers: {
          "x-github-api-version": "2022-11-28",
          ...(call.authorization === undefined ? {} : { authorization: call.authorization }),
          ...(call.etag === undefined ? {} : { "if-none-match": call.etag }),
        },
        request: { signal },
      });
      if (timeout.signal.aborted) return { kind: "retry", failure: unreachable(call.what, "it took too long") };
      call.signal?.throwIfAborted();
      return readAnswer(call, response as Response);
    } catch (thrown) {
      call.signal?.throwIfAborted();
      if (timeout.signal.aborted) return { kind: "retry", failure: unreachable(call.what, "it took too long") };
      return judge(call, thrown, this.#options.clock.now());
    } finally {
      cancel();
    }
  }
}

async function noOther(): Promise<undefined> {}

interface Response {
  readonly status: number;
  readonly data: unknown;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
}

/**
 * octokit hands on a truncated body, or one that is not JSON, as text. That is a failed try; it must never pass for an answer.
 */
function readAnswer(call: Call, response: Response): Answer | Verdict {
  const header = (name: string) => (response.headers[name] === undefined ? undefined : String(response.headers[name]));
  if (response.status !== 204 && (typeof response.data !== "object" || response.data === null))
    return { kind: "retry", failure: badAnswer(call.what, "it is not whole JSON") };
  return { status: response.status, data: response.data, etag: header("etag"), link: header("link") };
}

function judge(call: Call, thrown: unknown, now: number): Answer | Verdict {
  const status = (thrown as { status?: unknown }).status;
  const response = (thrown as { response?: Partial<Response> }).response;
  if (status === 304) return { status: 304, data: undefined, etag: call.etag, link: undefined };
  if (typeof status !== "number") throw thrown;
  if (response === undefined) return { kind: "retry", failure: unreachable(call.what, "no connection") };
  if (status >= 500) return { kind: "retry", failure: unreachable(call.what, `it answered ${status}`) };
  const untilMs = status === 403 || status === 429 ? limitedUntil(status, response, now) : undefined;
  if (untilMs !== undefined) return { kind: "wait", untilMs };
  if (status === 401) return { kind: "unauthorized", failure: refused(call.what, status) };
  if (status === 403) return { kind: "failed", failure: refused(call.what, status) };
  if (status === 404 || status === 410) return { kind: "failed", failure: notFound(call.what) };
  return { kind: "failed", failure: badAnswer(call.what, `status ${status}`) };
}

/** When a refused request may be tried again; undefined when it was no rate limit that refused it. */
function limitedUntil(status: number, response: Partial<Response>, now: number): number | undefined {
  const headers = response.headers ?? {};
  const retryAfter = Number(headers["retry-after"] ?? Number.NaN);
  if (Number.isFinite(retryAfter) && retryAfter >= 0) return now + retryAfter * 1000;
  if (String(headers["x-ratelimit-remaining"]) === "0") {
    const reset = Number(headers["x-ratelimit-reset"]);
    return Number.isFinite(reset) && reset > 0 ? Math.max(now, reset * 1000) : now + UNNAMED_WAIT_MS;
  }
  const message = (response.data as { message?: unknown } | undefined)?.message;
  if (status === 429 || /secondary rate limit|abuse detection/i.test(String(message))) return now + UNNAMED_WAIT_MS;
  return undefined;
}
