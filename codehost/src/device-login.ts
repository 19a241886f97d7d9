import { NestError, Secret } from "@nest/kit";
import { PUBLIC_WEB_BASE } from "./closing-references.ts";
import { badAnswer, refused, unreachable } from "./failures.ts";

export interface DeviceLoginOptions {
  /** Where people sign in; the public platform unless said otherwise. */
  readonly webUrl?: string;
  /** Public: a device-flow client has no secret. */
  readonly clientId: string;
  readonly signal?: AbortSignal;
}

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

const TIMEOUT_MS = 10_000;

/** Begins a sign-in without a browser of ours. @throws codehost_unreachable, codehost_refused, codehost_bad_answer */
export async function startDeviceLogin(
  options: DeviceLoginOptions & { readonly scope?: string },
): Promise<DeviceLogin> {
  const what = "device sign-in";
  const answer = await postForm(what, "/login/device/code", options, {
    client_id: options.clientId,
    scope: options.scope ?? "",
  });
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
  options: DeviceLoginOptions & { readonly deviceCode: Secret },
): Promise<DeviceLoginState> {
  const what = "device sign-in";
  const answer = await postForm(what, "/login/oauth/access_token", options, {
    client_id: options.clientId,
    device_code: options.deviceCode.reveal(),
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
  });
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

/** Sends a form to the platform's sign-in and reads its JSON. */
export async function postForm(
  what: string,
  path: string,
  options: DeviceLoginOptions,
  fields: Record<string, string>,
): Promise<Record<string, unknown>> {
  const url = `${(options.webUrl ?? PUBLIC_WEB_BASE).replace(/\/+$/, "")}${path}`;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
  let text: string;
  let status: number;
  try {
    const headers = { accept: "application/json", "content-type": "application/x-www-form-urlencoded" };
    const response = await fetch(url, { method: "POST", headers, body: new URLSearchParams(fields), signal });
    status = response.status;
    text = await response.text();
  } catch {
    options.signal?.throwIfAborted();
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
