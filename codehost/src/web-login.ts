import { createHash } from "node:crypto";
import { NestError, Secret } from "@nest/kit";
import { PUBLIC_WEB_BASE } from "./closing-references.ts";
import { postForm } from "./device-login.ts";

export interface WebLoginOptions {
  /** Where people sign in; the public platform unless said otherwise. */
  readonly webUrl?: string;
  readonly clientId: string;
}

/**
 * Where a browser is sent to sign in; it comes back to `redirectUri` with a code and this very state. Only who knows `verifier`
 * (43 to 128 letters, digits, `-`, `_`) can use that code: RFC 7636, method S256.
 */
export function webLoginAddress(
  options: WebLoginOptions & { readonly redirectUri: string; readonly state: string; readonly verifier: string },
): string {
  const url = new URL(`${(options.webUrl ?? PUBLIC_WEB_BASE).replace(/\/+$/, "")}/login/oauth/authorize`);
  url.searchParams.set("client_id", options.clientId);
  url.searchParams.set("redirect_uri", options.redirectUri);
  url.searchParams.set("state", options.state);
  url.searchParams.set("scope", "");
  url.searchParams.set("code_challenge", createHash("sha256").update(options.verifier).digest("base64url"));
  url.searchParams.set("code_challenge_method", "S256");
  return url.href;
}

/**
 * Exchanges the code that a browser brought back for a token of its person.
 *
 * @throws codehost_unreachable, codehost_refused
 */
export async function finishWebLogin(
  options: WebLoginOptions & {
    readonly clientSecret: Secret;
    readonly code: string;
    readonly verifier: string;
    readonly signal?: AbortSignal;
  },
): Promise<Secret> {
  const { webUrl, clientId, clientSecret, code, verifier, signal } = options;
  const where = { clientId, ...(webUrl === undefined ? {} : { webUrl }), ...(signal === undefined ? {} : { signal }) };
  const answer = await postForm("sign-in", "/login/oauth/access_token", where, {
    client_id: clientId,
    client_secret: clientSecret.reveal(),
    code,
    code_verifier: verifier,
  });
  if (typeof answer.access_token === "string" && answer.access_token !== "") return new Secret(answer.access_token);
  throw new NestError("codehost_refused", "sign-in: the code host did not accept the code", { hint: "sign in again" });
}
