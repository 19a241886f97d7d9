import { NestError, Secret } from "@nest/kit";
import { createDeviceCode, exchangeDeviceCode } from "@octokit/oauth-methods";
import { badAnswer } from "./failures.ts";
import { askSignIn, type OAuthOptions } from "./oauth.ts";

/** A sign-in that waits for a person to type `userCode` at `verificationUrl`. */
export interface DeviceLogin {
  readonly deviceCode: Secret;
  readonly userCode: string;
  readonly verificationUrl: string;
  readonly intervalSeconds: number;
  readonly expiresInSeconds: number;
}

export type DeviceLoginState =
  | { readonly kind: "pending" }
  /** Asked too often: wait this much between polls from now on. */
  | { readonly kind: "slow_down"; readonly intervalSeconds: number }
  | { readonly kind: "denied" }
  | { readonly kind: "expired" }
  | { readonly kind: "complete"; readonly token: Secret };

/** Begins a sign-in without a browser of ours. @throws codehost_unreachable, codehost_refused, codehost_bad_answer */
export async function startDeviceLogin(options: OAuthOptions & { readonly scope?: string }): Promise<DeviceLogin> {
  const what = "device sign-in";
  const scopes = options.scope === undefined ? [] : options.scope.split(" ");
  const answer = await askSignIn(what, options, (request) =>
    createDeviceCode({ clientType: "oauth-app", clientId: options.clientId, scopes, request }),
  );
  const { device_code: code, user_code: userCode, verification_uri: url } = answer;
  if (typeof code !== "string" || typeof userCode !== "string" || typeof url !== "string") {
    if (typeof answer.error === "string") throw refusedBecause(what, answer.error);
    throw badAnswer(what, "a code is missing");
  }
  return {
    deviceCode: new Secret(code),
    userCode,
    verificationUrl: url,
    intervalSeconds: positive(answer.interval, 5),
    expiresInSeconds: positive(answer.expires_in, 900),
  };
}

/** Asks once how a sign-in stands. @throws codehost_unreachable, codehost_refused, codehost_bad_answer */
export async function pollDeviceLogin(
  options: OAuthOptions & { readonly deviceCode: Secret },
): Promise<DeviceLoginState> {
  const what = "device sign-in";
  const code = options.deviceCode.reveal();
  const answer = await askSignIn(what, options, (request) =>
    exchangeDeviceCode({ clientType: "oauth-app", clientId: options.clientId, code, request }),
  );
  if (typeof answer.access_token === "string" && answer.access_token !== "")
    return { kind: "complete", token: new Secret(answer.access_token) };
  switch (answer.error) {
    case "authorization_pending":
      return { kind: "pending" };
    case "slow_down":
      return { kind: "slow_down", intervalSeconds: positive(answer.interval, 10) };
    case "access_denied":
      return { kind: "denied" };
    case "expired_token":
    case "token_expired":
      return { kind: "expired" };
    default:
      if (typeof answer.error === "string") throw refusedBecause(what, answer.error);
      throw badAnswer(what, "neither a token nor a reason");
  }
}

function positive(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : otherwise;
}

/** Repeats the platform's error only where it looks like one of its codes: anything else is unchecked text from outside. */
function refusedBecause(what: string, error: string): NestError {
  const word = /^[a-z_]{1,60}$/.test(error) ? error : "an unknown reason";
  return new NestError("codehost_refused", `${what}: the code host refused it: ${word}`, {
    hint: "check github.oauth_client_id, and that the app allows the device flow",
  });
}
