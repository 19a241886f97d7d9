import {
  type Account,
  type CodeHost,
  finishWebLogin,
  pollDeviceLogin,
  startDeviceLogin,
  webLoginAddress,
} from "@nest/codehost";
import { type Clock, NestError, type Random, Secret } from "@nest/kit";
import { z } from "zod";
import type { Signer } from "./signer.ts";

/** Accepts each name once, across restarts and replicas. */
export interface Once {
  /** Whether this is the first time; durable before it is answered. `name` is at most 200 characters. */
  isFirst(name: string): Promise<boolean>;
}

export interface SignInDeps {
  /** What this server calls itself, and what its operator does so that people can sign in. */
  readonly words: { readonly what: "hub" | "nest"; readonly hint: string };
  readonly codeHost: Pick<CodeHost, "whoIs">;
  readonly oauth: { readonly clientId: string; readonly clientSecret: Secret | undefined } | undefined;
  readonly webUrl: string;
  readonly signer: Signer;
  /** Accepts the return of each browser once. */
  readonly once: Once;
  readonly clock: Clock;
  readonly random: Random;
}

/** How long a browser may stay at the code host before it returns. */
const ROUND_TRIP_MS = 10 * 60_000;
const State = z.object({ nonce: z.string(), to: z.string(), exp: z.number() });
const Device = z.object({ code: z.string(), exp: z.number() });

/**
 * Proves a login by the code host: by redirecting the browser there, or by the device flow. Nothing is stored meanwhile: the
 * state that has to come back is signed, so it may come back to another replica, but only once.
 */
export class SignIn {
  readonly #deps: SignInDeps;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
  }

  /** Which ways to sign in are configured. */
  get ways(): { readonly oauth: boolean; readonly device: boolean } {
    const { oauth } = this.#deps;
    return { oauth: oauth?.clientSecret !== undefined, device: oauth !== undefined };
  }

  /** The address to redirect a browser to, and the nonce that it has to bring back in a cookie. */
  goThere(redirectUri: string, to: string): { readonly address: string; readonly nonce: string } {
    const { oauth, signer, clock, random, webUrl } = this.#deps;
    if (oauth === undefined) throw this.#notConfigured();
    const nonce = random.hex(16);
    const state = signer.sign({ nonce, to, exp: clock.now() + ROUND_TRIP_MS });
    const verifier = signer.secretOf(nonce);
    return { address: webLoginAddress({ webUrl, clientId: oauth.clientId, redirectUri, state, verifier }), nonce };
  }

  /**
   * Verifies a browser that returned from the code host: which account signed in, and where it wanted to go.
   *
   * @throws NestError `sign_in_failed`, and what a code host throws.
   */
  async comeBack(
    back: { readonly code: string | undefined; readonly state: string | undefined },
    nonce: string | undefined,
  ): Promise<{ readonly account: Account; readonly to: string }> {
    const { oauth, signer, clock, webUrl, once } = this.#deps;
    if (oauth?.clientSecret === undefined) throw this.#notConfigured();
    const state = State.safeParse(signer.open(back.state ?? ""));
    if (!state.success || state.data.nonce !== nonce || clock.now() >= state.data.exp || back.code === undefined)
      throw beginAgain("this sign-in was not begun here, or too long ago");
    if (!(await once.isFirst(nonce))) throw beginAgain("this sign-in was finished already");
    const { clientId, clientSecret } = oauth;
    const token = await finishWebLogin({
      webUrl,
      clientId,
      clientSecret,
      code: back.code,
      verifier: signer.secretOf(nonce),
    });
    return { account: await this.#accountOf(token), to: state.data.to };
  }

  async startDevice() {
    const { oauth, webUrl, signer, clock } = this.#deps;
    if (oauth === undefined) throw this.#notConfigured();
    const device = await startDeviceLogin({ webUrl, clientId: oauth.clientId });
    const exp = clock.now() + device.expiresInSeconds * 1000;
    return {
      login_id: signer.sign({ code: device.deviceCode.reveal(), exp }),
      user_code: device.userCode,
      verification_uri: device.verificationUrl,
      interval: device.intervalSeconds,
      expires_in: device.expiresInSeconds,
    };
  }

  /** The state of a sign-in by device flow. */
  async pollDevice(
    loginId: string,
  ): Promise<
    | { readonly status: "pending"; readonly interval?: number }
    | { readonly status: "denied" | "expired" }
    | { readonly status: "complete"; readonly account: Account }
  > {
    const { oauth, webUrl, signer, clock, words } = this.#deps;
    if (oauth === undefined) throw this.#notConfigured();
    const device = Device.safeParse(signer.open(loginId));
    if (!device.success) throw new NestError("bad_request", `login_id: not one of this ${words.what}`);
    if (clock.now() >= device.data.exp) return { status: "expired" };
    const state = await pollDeviceLogin({ webUrl, clientId: oauth.clientId, deviceCode: new Secret(device.data.code) });
    if (state.kind === "complete") return { status: "complete", account: await this.#accountOf(state.token) };
    if (state.kind === "slow_down") return { status: "pending", interval: state.intervalSeconds };
    return { status: state.kind };
  }

  #notConfigured(): NestError {
    const { what, hint } = this.#deps.words;
    return new NestError("not_found", `this ${what} has no sign-in by the code host`, { hint });
  }

  async #accountOf(token: Secret): Promise<Account> {
    const who = await this.#deps.codeHost.whoIs(token);
    if (who === undefined)
      throw new NestError("sign_in_failed", "the code host does not know its own token", { hint: "sign in again" });
    return who;
  }
}

function beginAgain(sentence: string): NestError {
  return new NestError("sign_in_failed", sentence, { hint: "sign in again" });
}

/** A path on this server to go to after the sign-in; anything that could lead to another site becomes the front page. */
export function pathHere(wanted: string | undefined): string {
  if (wanted === undefined || !/^\/(?![/\\])[\x21-\x7e]*$/.test(wanted) || wanted.includes("\\")) return "/";
  return wanted;
}
