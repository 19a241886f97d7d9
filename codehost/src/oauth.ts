import { request } from "@octokit/request";
import { PUBLIC_WEB_BASE } from "./closing-references.ts";
import { badAnswer, refused, unreachable } from "./failures.ts";

export interface OAuthOptions {
  /** Where people sign in; the public platform unless said otherwise. */
  readonly webUrl?: string;
  /** Public: a device-flow client has no secret. */
  readonly clientId: string;
  readonly signal?: AbortSignal;
}

type OctokitRequest = typeof request;

const TIMEOUT_MS = 10_000;

/** Octokit's way to ask a platform's sign-in, without its effects: for addresses that a browser is sent to. */
export function signInAt(webUrl: string | undefined): OctokitRequest {
  return request.defaults({ baseUrl: (webUrl ?? PUBLIC_WEB_BASE).replace(/\/+$/, "") });
}

/**
 * Asks a platform's sign-in by one of the calls of `@octokit/oauth-methods`. Answers with what the platform said, a refusal of its
 * own (`error`) too: the library throws those with words of the platform in them, and we repeat none.
 *
 * @param more fields that the library does not know (PKCE).
 * @throws codehost_unreachable, codehost_refused, codehost_bad_answer.
 */
export async function askSignIn(
  what: string,
  options: OAuthOptions,
  call: (request: OctokitRequest) => Promise<unknown>,
  more: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>> {
  let said: Record<string, unknown> | undefined;
  let failure: unknown;
  const fetchForm = async (url: string, { body, headers }: { body: string; headers: Record<string, string> }) => {
    try {
      said = await post(what, url, { body, headers, signal: options.signal });
      // A platform may leave out that no scope was given; the library reads it.
      return Response.json({ scope: "", ...said });
    } catch (thrown) {
      failure = thrown;
      throw thrown;
    }
  };
  try {
    await call(signInAt(options.webUrl).defaults({ ...more, request: { fetch: fetchForm } }));
  } catch (thrown) {
    if (failure !== undefined) throw failure;
    if (said === undefined) throw thrown;
  }
  return said ?? {};
}

/** Sends what the library made as a form, which every platform takes, and reads the JSON of the answer. */
async function post(
  what: string,
  url: string,
  {
    body,
    headers,
    signal,
  }: { readonly body: string; readonly headers: Record<string, string>; readonly signal: AbortSignal | undefined },
): Promise<Record<string, unknown>> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  let text: string;
  let status: number;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(JSON.parse(body) as Record<string, string>),
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    status = response.status;
    text = await response.text();
  } catch {
    signal?.throwIfAborted();
    throw unreachable(what, timeout.aborted ? "it took too long" : "no connection");
  }
  if (status >= 500 || status === 429) throw unreachable(what, `it answered ${status}`);
  if (status === 401 || status === 403 || status === 404) throw refused(what, status);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Thrown below.
  }
  throw badAnswer(what, "it is not JSON");
}
