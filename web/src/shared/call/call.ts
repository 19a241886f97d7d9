import { ErrorBody, type Route } from "@nest/protocol";
import type { z } from "zod";
import { setServerTime } from "./server-time.ts";

/** What went wrong with a request, in the hub's words; `unreachable` when there was no answer at all. */
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
}

export interface Answer<Reply> {
  readonly value: Reply;
  readonly etag: string | undefined;
}

/**
 * Calls one of the hub's routes; what comes back is checked against its description.
 *
 * @throws CallError with the hub's code and words, `unreachable` without an answer, `other_version` for one that does not
 * fit the description.
 */
export async function call<Body extends z.ZodType, Query extends z.ZodType, Reply extends z.ZodType>(
  route: Route<Body, Query, Reply>,
  given: Given<z.input<Body>, z.input<Query>> = {},
): Promise<Answer<z.infer<Reply>>> {
  const response = await send(route, given);
  setServerTime(response.headers.get("date"));
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw problemOf(response.status, answer);
  const checked = route.reply.safeParse(answer);
  if (!checked.success) {
    throw new CallError(response.status, {
      error: "the hub speaks another version than this page",
      code: "other_version",
      hint: "reload the page",
    });
  }
  return { value: checked.data, etag: response.headers.get("etag") ?? undefined };
}

async function send(
  route: Route,
  { params = {}, query, body, ifMatch, signal }: Given<unknown, unknown>,
): Promise<Response> {
  const path = route.path.replace(/:([a-z_]+)/gi, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const asked = Object.entries((query ?? {}) as object).filter(([, value]) => value !== undefined && value !== "");
  const search =
    asked.length === 0 ? "" : `?${new URLSearchParams(asked.map(([name, value]) => [name, String(value)]))}`;
  const headers: Record<string, string> = {};
  if (route.method !== "GET") headers["content-type"] = "application/json";
  if (ifMatch !== undefined) headers["if-match"] = ifMatch;
  try {
    return await fetch(path + search, {
      method: route.method,
      headers,
      ...(route.method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === "AbortError") throw thrown;
    throw new CallError(0, {
      error: "the hub cannot be reached",
      code: "unreachable",
      hint: "nothing was changed; try again",
    });
  }
}

function problemOf(status: number, answer: unknown): CallError {
  const body = ErrorBody.safeParse(answer);
  if (body.success) return new CallError(status, body.data);
  return new CallError(status, { error: `the hub answered with status ${status}`, code: "internal" });
}
