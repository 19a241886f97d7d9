import { type Clock, NestError, Secret } from "@nest/kit";
import { createAppAuth } from "@octokit/auth-app";
import type { Caller } from "./caller.ts";
import type { Access, TaskCredential } from "./codehost.ts";
import { asRow, textIn, timeIn } from "./reading.ts";

/** How we prove to the platform who we are. */
export type Credentials =
  | { readonly kind: "token"; readonly token: Secret }
  | {
      readonly kind: "app";
      readonly appId: number | string;
      /** PEM. */
      readonly privateKey: Secret;
      readonly installationId: number;
    };

/** The Authorization header for the next call. */
export interface Identity {
  readonly kind: "app" | "token";
  authorization(signal?: AbortSignal): Promise<string>;
  /** A new header to use after `refused` was rejected; undefined when there is none. */
  another(refused: string, signal?: AbortSignal): Promise<string | undefined>;
}

/** An installation token is renewed when it has this long to live. */
const RENEW_BEFORE_MS = 5 * 60_000;

/** A person's token as it is. */
export function personalIdentity(token: Secret): Identity {
  return { kind: "token", authorization: async () => `token ${token.reveal()}`, another: async () => undefined };
}

/** Acts as the app: signs short-lived proofs of itself and exchanges them for tokens of its one installation. */
export class AppIdentity implements Identity {
  readonly kind = "app";
  readonly #caller: Caller;
  readonly #clock: Clock;
  readonly #installationId: number;
  readonly #auth: ReturnType<typeof createAppAuth>;
  #current: TaskCredential | undefined;
  #coming: Promise<TaskCredential> | undefined;

  constructor(caller: Caller, clock: Clock, credentials: Extract<Credentials, { kind: "app" }>) {
    this.#caller = caller;
    this.#clock = clock;
    this.#installationId = credentials.installationId;
    this.#auth = createAppAuth({ appId: credentials.appId, privateKey: credentials.privateKey.reveal() });
  }

  async authorization(signal?: AbortSignal): Promise<string> {
    const current = this.#current;
    if (current !== undefined && this.#clock.now() < current.expiresAt - RENEW_BEFORE_MS)
      return `token ${current.token.reveal()}`;
    // All waiting callers share this request, so the signal of one of them must not cancel it.
    this.#coming ??= this.narrowed({}).finally(() => {
      this.#coming = undefined;
    });
    this.#current = await this.#coming;
    signal?.throwIfAborted();
    return `token ${this.#current.token.reveal()}`;
  }

  another(refused: string, signal?: AbortSignal): Promise<string> {
    if (this.#current !== undefined && refused === `token ${this.#current.token.reveal()}`) this.#current = undefined;
    return this.authorization(signal);
  }

  /** The header with which the app speaks for itself. @throws codehost_refused when its key is no key. */
  async proof(): Promise<string> {
    try {
      const { token } = await this.#auth({ type: "app" });
      return `bearer ${token}`;
    } catch {
      throw new NestError("codehost_refused", "the app's private key cannot be used to sign", {
        hint: "give the PEM file that the code host offered when the key was made",
      });
    }
  }

  /** A new installation token, narrowed to what is given. */
  async narrowed(
    to: { readonly repositories?: readonly string[]; readonly permissions?: Readonly<Record<string, Access>> },
    signal?: AbortSignal,
  ): Promise<TaskCredential> {
    const what = "installation token";
    const answer = await this.#caller.send({
      what,
      route: "POST /app/installations/{installation_id}/access_tokens",
      parameters: { installation_id: this.#installationId, ...to },
      authorization: await this.proof(),
      identity: "app",
      signal,
    });
    const row = asRow(answer.data, what);
    return { token: new Secret(textIn(row, "token", what)), expiresAt: timeIn(row, "expires_at", what) };
  }
}
