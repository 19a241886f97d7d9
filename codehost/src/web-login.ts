import { createHash } from "node:crypto";
import { NestError, Secret } from "@nest/kit";
import { exchangeWebFlowCode, getWebFlowAuthorizationUrl } from "@octokit/oauth-methods";
import { askSignIn, type OAuthOptions, signInAt } from "./oauth.ts";

/**
 * Where a browser is sent to sign in; it comes back to `redirectUri` with a code and this very state. Only who knows `verifier`
 * (43 to 128 letters, digits, `-`, `_`) can use that code: RFC 7636, method S256, which the library leaves to its callers.
 */
export function webLoginAddress(
  options: OAuthOptions & { readonly redirectUri: string; readonly state: string; readonly verifier: string },
): string {
  const { url } = getWebFlowAuthorizationUrl({
    clientType: "oauth-app",
    clientId: options.clientId,
    redirectUrl: options.redirectUri,
    state: options.state,
    scopes: [],
    request: signInAt(options.webUrl),
  });
  const address = new URL(url);
  // Said, not left out: whoever gave this client a scope once would be asked for that one again.
  address.searchParams.set("scope", "");
  address.searchParams.set("code_challenge", createHash("sha256").update(options.verifier).digest("base64url"));
  address.searchParams.set("code_challenge_method", "S256");
  return address.href;
}

/**
 * Exchanges the code that a browser brought back for a token of its person.
 *
 * @throws codehost_unreachable, codehost_refused
 */
export async function finishWebLogin(
  options: OAuthOptions & { readonly clientSecret: Secret; readonly code: string; readonly verifier: string },
): Promise<Secret> {
  const { clientId, clientSecret, code, verifier } = options;
  const exchange = { clientType: "oauth-app", clientId, clientSecret: clientSecret.reveal(), code } as const;
  const answer = await askSignIn("sign-in", options, (request) => exchangeWebFlowCode({ ...exchange, request }), {
    code_verifier: verifier,
  });
  if (typeof answer.access_token === "string" && answer.access_token !== "") return new Secret(answer.access_token);
  throw new NestError("codehost_refused", "sign-in: the code host did not accept the code", { hint: "sign in again" });
}
