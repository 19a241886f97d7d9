import { type Account, type CodeHost, pollDeviceLogin, startDeviceLogin } from "@nest/codehost";
import { type Clock, NestError, Secret } from "@nest/kit";
import { z } from "zod";
import type { Signer } from "./signer.ts";

/** What a server calls itself, and what its operator does so that people can sign in. */
export interface SignInWords {
  readonly what: "hub" | "nest";
  readonly hint: string;
}

export interface DeviceSignInDeps {
  readonly words: SignInWords;
  readonly codeHost: Pick<CodeHost, "whoIs">;
  /** The public client id; undefined where there is no sign-in. */
  readonly clientId: string | undefined;
  readonly webUrl: string;
  readonly signer: Signer;
  readonly clock: Clock;
}

/** A sign-in that waits for a person to type `user_code` at `verification_uri`. */
export interface BegunDeviceSignIn {
  /** What has to come back with each poll: signed, so that nothing is stored meanwhile. */
  readonly login_id: string;
  readonly user_code: string;
  readonly verification_uri: string;
  /** Seconds between two polls, and seconds until the code runs out. */
  readonly interval: number;
  readonly expires_in: number;
}

export type DeviceSignInState =
  | { readonly status: "pending"; readonly interval?: number }
  | { readonly status: "denied" | "expired" }
  | { readonly status: "complete"; readonly account: Account };

const Device = z.object({ code: z.string(), exp: z.number() });

/** Proves a login by the code host's device flow: a code that a person types in there, on any device. */
export class DeviceSignIn {
  readonly #deps: DeviceSignInDeps;

  constructor(deps: DeviceSignInDeps) {
    this.#deps = deps;
  }

  /** Begins a sign-in. @throws NestError `not_found` where none is configured, and what a code host throws. */
  async start(): Promise<BegunDeviceSignIn> {
    const { clientId, webUrl, signer, clock, words } = this.#deps;
    if (clientId === undefined) throw noSignIn(words);
    const device = await startDeviceLogin({ webUrl, clientId });
    const exp = clock.now() + device.expiresInSeconds * 1000;
    return {
      login_id: signer.sign({ code: device.deviceCode.reveal(), exp }),
      user_code: device.userCode,
      verification_uri: device.verificationUrl,
      interval: device.intervalSeconds,
      expires_in: device.expiresInSeconds,
    };
  }

  /** Asks the code host once how a sign-in stands. @throws NestError `bad_request` for one that was not begun here. */
  async poll(loginId: string): Promise<DeviceSignInState> {
    const { clientId, webUrl, signer, clock, words, codeHost } = this.#deps;
    if (clientId === undefined) throw noSignIn(words);
    const device = Device.safeParse(signer.open(loginId));
    if (!device.success) throw new NestError("bad_request", `login_id: not one of this ${words.what}`);
    if (clock.now() >= device.data.exp) return { status: "expired" };
    const state = await pollDeviceLogin({ webUrl, clientId, deviceCode: new Secret(device.data.code) });
    if (state.kind === "complete") return { status: "complete", account: await accountOf(state.token, codeHost) };
    if (state.kind === "slow_down") return { status: "pending", interval: state.intervalSeconds };
    return { status: state.kind };
  }
}

/** The account that a fresh token belongs to. @throws NestError `sign_in_failed` */
export async function accountOf(token: Secret, codeHost: Pick<CodeHost, "whoIs">): Promise<Account> {
  const who = await codeHost.whoIs(token);
  if (who === undefined)
    throw new NestError("sign_in_failed", "the code host does not know its own token", { hint: "sign in again" });
  return who;
}

/** The error for a server that has no sign-in. */
export function noSignIn({ what, hint }: SignInWords): NestError {
  return new NestError("not_found", `this ${what} has no sign-in by the code host`, { hint });
}
