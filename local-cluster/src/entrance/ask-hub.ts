import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Door } from "./doors.ts";

/** What the entrance makes of the hub's answer. */
export type Judgement =
  | {
      readonly kind: "allowed";
      /** For the pod, in place of what the browser sent under these names; undefined: none. */
      readonly headers: Readonly<Record<string, string | undefined>>;
      /** For the browser: the pass of this nest, where it came with a ticket. */
      readonly cookies: readonly string[];
    }
  | { readonly kind: "refused"; readonly status: number; readonly location?: string }
  | { readonly kind: "unanswered" };

const PATIENCE_MS = 10_000;

/** Asks the hub's auth-check for one request, as nginx does with `auth_request`: 2xx lets it in, 401 and 403 do not. */
export async function askHub(door: Door, request: IncomingMessage): Promise<Judgement> {
  const nobody = Object.fromEntries(door.passedHeaders.map((name) => [name, undefined]));
  if (door.authUrl === undefined) return { kind: "allowed", headers: nobody, cookies: [] };
  const answer = await fetch(door.authUrl, {
    headers: askedHeaders(request),
    redirect: "manual",
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch(() => undefined);
  await answer?.body?.cancel();
  if (answer === undefined) return { kind: "unanswered" };
  if (answer.ok) {
    const headers = Object.fromEntries(door.passedHeaders.map((name) => [name, answer.headers.get(name) ?? undefined]));
    return { kind: "allowed", headers, cookies: answer.headers.getSetCookie() };
  }
  if (answer.status === 401 && door.signInUrl !== undefined)
    return { kind: "refused", status: 302, location: withReturn(door.signInUrl, addressOf(request)) };
  if (answer.status === 401 || answer.status === 403) return { kind: "refused", status: answer.status };
  return { kind: "unanswered" };
}

/** The whole address that the browser asked for. */
function addressOf({ headers, url = "/" }: IncomingMessage): string {
  return `http://${headers.host}${url}`;
}

function askedHeaders(request: IncomingMessage): Record<string, string> {
  const { cookie, authorization, "user-agent": agent } = request.headers satisfies IncomingHttpHeaders;
  return {
    "x-original-url": addressOf(request),
    "x-original-method": request.method ?? "GET",
    "x-forwarded-proto": "http",
    ...(cookie === undefined ? {} : { cookie }),
    ...(authorization === undefined ? {} : { authorization }),
    ...(agent === undefined ? {} : { "user-agent": agent }),
  };
}

/** nginx adds `rd`, so that the sign-in can come back. */
function withReturn(signIn: string, to: string): string {
  const url = new URL(signIn);
  url.searchParams.set("rd", to);
  return url.href;
}
