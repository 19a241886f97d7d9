import { type Account, finishWebLogin, webLoginAddress } from "@nest/codehost";
import { NestError, type Random, type Secret } from "@nest/kit";
import { z } from "zod";
import { accountOf, DeviceSignIn, type DeviceSignInDeps, noSignIn } from "./device-sign-in.ts";

/** Accepts each name once, across restarts and replicas. */
export interface Once {
  /** Whether this is the first time; durable before it is answered. `name` is at most 200 characters. */
  isFirst(name: string): Promise<boolean>;
}

export interface SignInDeps extends Omit<DeviceSignInDeps, "clientId"> {
  readonly oauth: { readonly clientId: string; readonly clientSecret: Secret | undefined } | undefined;
  /** Accepts the return of each browser once. */
  readonly once: Once;
  readonly random: Random;
}

/** How long a browser may stay at the code host before it returns. */
const ROUND_TRIP_MS = 10 * 60_000;
const State = z.object({ nonce: z.string(), to: z.string(), exp: z.number() });

/**
 * Proves a login by the code host: by redirecting the browser there, or by the device flow. Nothing is stored meanwhile: the
 * state that has to come back is signed, so it may come back to another replica, but only once.
 */
export class SignIn {
  readonly #deps: SignInDeps;
  readonly #device: DeviceSignIn;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
    this.#device = new DeviceSignIn({ ...deps, clientId: deps.oauth?.clientId });
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
    return { account: await accountOf(token, this.#deps.codeHost), to: state.data.to };
  }

  /** Begins a sign-in by device flow. @throws NestError `not_found` where none is configured, and what a code host throws. */
  startDevice() {
    return this.#device.start();
  }

  /** The state of a sign-in by device flow. */
  pollDevice(loginId: string) {
    return this.#device.poll(loginId);
  }

  #notConfigured(): NestError {
    return noSignIn(this.#deps.words);
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
