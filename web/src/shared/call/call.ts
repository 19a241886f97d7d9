import { ErrorBody, type Route } from "@nest/protocol";
import type { z } from "zod";
import { setServerTime } from "./server-time.ts";

/** A call fails if its answer takes longer than this, unless the call sets another deadline. */
const DEADLINE_MS = 15_000;

/** Why a call failed, in the server's words. Without an answer the code is `unreachable` or `no_answer`. */
export class CallError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;

  constructor(status: number, { error, code, hint }: ErrorBody) {
    super(error);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

export interface Given<Body, Query> {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: Body;
  readonly ifMatch?: string | undefined;
  readonly signal?: AbortSignal;
  /** How old an answer may be, so that all who ask at about the same time are given the same one. The server forgets it at each change. */
  readonly maxAgeSeconds?: number;
  /** How long to wait for the answer. */
  readonly deadlineMs?: number;
}

export interface Answer<Reply> {
  readonly value: Reply;
  readonly etag: string | undefined;
}

/**
 * Calls one of the server's routes and checks the answer against the route's schema.
 *
 * @throws CallError with the server's code and words; `unreachable` when it could not be asked, `no_answer` when it did not
 * answer in time, `other_version` when the answer does not match the schema.
 */
export async function call<Body extends z.ZodType, Query extends z.ZodType, Reply extends z.ZodType>(
  route: Route<Body, Query, Reply>,
  given: Given<z.input<Body>, z.input<Query>> = {},
): Promise<Answer<z.infer<Reply>>> {
  const { deadlineMs = DEADLINE_MS } = given;
  const deadline = AbortSignal.timeout(deadlineMs);
  const signal = given.signal === undefined ? deadline : AbortSignal.any([given.signal, deadline]);
  const response = await send(route, { ...given, signal }).catch((thrown) => {
    throw callErrorOf(thrown, route, deadlineMs);
  });
  setServerTime(response.headers.get("date"));
  const answer: unknown = await response.json().catch((thrown) => {
    if (thrown instanceof SyntaxError) return undefined;
    throw callErrorOf(thrown, route, deadlineMs);
  });
  if (!response.ok) throw problemOf(response.status, answer);
  const checked = route.reply.safeParse(answer);
  if (!checked.success) {
    throw new CallError(response.status, {
      error: "the server speaks another version than this page",
      code: "other_version",
      hint: "reload the page",
    });
  }
  return { value: checked.data, etag: response.headers.get("etag") ?? undefined };
}

function send(
  route: Route,
  {
    params = {},
    query,
    body,
    ifMatch,
    maxAgeSeconds,
    signal,
  }: Given<unknown, unknown> & { readonly signal: AbortSignal },
): Promise<Response> {
  const path = route.path.replace(/:([a-z_]+)/gi, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const asked = Object.entries((query ?? {}) as object).filter(([, value]) => value !== undefined && value !== "");
  const search =
    asked.length === 0 ? "" : `?${new URLSearchParams(asked.map(([name, value]) => [name, String(value)]))}`;
  const headers: Record<string, string> = {};
  if (route.method !== "GET") headers["content-type"] = "application/json";
  if (ifMatch !== undefined) headers["if-match"] = ifMatch;
  if (maxAgeSeconds !== undefined) headers["cache-control"] = `max-age=${maxAgeSeconds}`;
  return fetch(path + search, {
    method: route.method,
    headers,
    signal,
    ...(route.method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
  });
}

/** Why there was no answer. A read can simply be repeated; of a change nobody knows whether the server made it. */
function callErrorOf(thrown: unknown, { method }: Route, deadlineMs: number): unknown {
  if (!(thrown instanceof Error) || thrown.name === "AbortError") return thrown;
  const hint = method === "GET" ? "try again" : "whether it was done is not confirmed: look before you do it again";
  if (thrown.name === "TimeoutError") {
    const error = `no answer within ${Math.round(deadlineMs / 1000)} seconds`;
    return new CallError(0, { error, code: "no_answer", hint });
  }
  return new CallError(0, { error: "the server cannot be reached", code: "unreachable", hint });
}

function problemOf(status: number, answer: unknown): CallError {
  const body = ErrorBody.safeParse(answer);
  if (body.success) return new CallError(status, body.data);
  return new CallError(status, { error: `the server answered with status ${status}`, code: "internal" });
}
