import { TaskCredential } from "@nest/agents";
import type { CodeHost } from "@nest/codehost";
import { type CancelTimer, type Clock, type Log, type Secret, sentenceOf } from "@nest/kit";
import type { Autonomy } from "@nest/protocol";
import { mayPush, permissionsFor } from "../policy/acmm.ts";

/** An app's token lives an hour; git is given a new one before that. */
const RENEW_EVERY_MS = 45 * 60_000;

export interface LoginDeps {
  readonly codeHost: CodeHost | undefined;
  /** The nest's own token, where it works with a person's and not as an app. */
  readonly token: Secret | undefined;
  readonly webBase: string;
  /** Where credentials lie while a run needs them: a folder that agents do not see. */
  readonly credentialFolder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every token before it is used, so that nothing shows it. */
  readonly learn: (token: string) => void;
}

/**
 * How one run is signed in to the code host. An app's token opens one repository with the permissions of the run's autonomy and no
 * more. A person's token cannot be narrowed: an agent that may not push gets none, and works in the checkout that it is given.
 */
export class RunLogin {
  /** For git alone: in the nest's own hands while it makes the checkout, in the run's where it may have it. */
  readonly #credential: TaskCredential | undefined;
  readonly #token: string | undefined;
  readonly #isForAgent: boolean;
  readonly #stopRenewal: CancelTimer;
  readonly #revoke: () => Promise<void>;

  private constructor(parts: {
    credential: TaskCredential | undefined;
    token: string | undefined;
    isForAgent: boolean;
    stopRenewal: CancelTimer;
    revoke: () => Promise<void>;
  }) {
    this.#credential = parts.credential;
    this.#token = parts.token;
    this.#isForAgent = parts.isForAgent;
    this.#stopRenewal = parts.stopRenewal;
    this.#revoke = parts.revoke;
  }

  /** @throws NestError of the code host that makes no token. */
  static async create(deps: LoginDeps, repo: string | undefined, autonomy: Autonomy): Promise<RunLogin> {
    const { codeHost, webBase, clock, log, learn } = deps;
    if (codeHost === undefined || codeHost.kind === "token" || repo === undefined) {
      const token = repo === undefined ? undefined : deps.token?.reveal();
      const credential =
        token === undefined ? undefined : await TaskCredential.create(token, webBase, deps.credentialFolder);
      const isForAgent = mayPush(autonomy);
      return new RunLogin({
        credential,
        token,
        isForAgent,
        stopRenewal: () => undefined,
        revoke: async () => undefined,
      });
    }
    let current = await codeHost.taskCredential(repo, permissionsFor(autonomy));
    const token = current?.token.reveal();
    if (token !== undefined) learn(token);
    const credential =
      token === undefined ? undefined : await TaskCredential.create(token, webBase, deps.credentialFolder);
    const renew = async () => {
      const next = await codeHost.taskCredential(repo, permissionsFor(autonomy));
      if (next === undefined) return;
      learn(next.token.reveal());
      current = next;
      await credential?.renew(next.token.reveal());
    };
    const stopRenewal = clock.every(RENEW_EVERY_MS, () => {
      renew().catch((thrown: unknown) =>
        log.warn({ repo, err: sentenceOf(thrown) }, "a run's login cannot be renewed"),
      );
    });
    const revoke = async () => {
      if (current !== undefined) await codeHost.revokeCredential(current.token);
    };
    return new RunLogin({ credential, token, isForAgent: true, stopRenewal, revoke });
  }

  /** The folder that the run reads its login from. */
  get folder(): string | undefined {
    return this.#isForAgent ? this.#credential?.folder : undefined;
  }

  /** Variables with which git makes the checkout. */
  get checkoutEnvironment(): Readonly<Record<string, string>> {
    return this.#credential?.environment() ?? {};
  }

  /** Variables with which the agent signs in; empty for one that gets no login. */
  get agentEnvironment(): Readonly<Record<string, string>> {
    if (!this.#isForAgent || this.#token === undefined) return { GIT_TERMINAL_PROMPT: "0" };
    return { ...this.checkoutEnvironment, GH_TOKEN: this.#token, GITHUB_TOKEN: this.#token };
  }

  /** The checkout is made: a login that the agent may not have is needed no more. */
  async checkedOut(): Promise<void> {
    if (!this.#isForAgent) await this.#credential?.remove();
  }

  async belongTo(user: Parameters<TaskCredential["belongTo"]>[0]): Promise<void> {
    if (this.#isForAgent) await this.#credential?.belongTo(user);
  }

  /** Takes the login back: the token is revoked where that can be, and its files are removed. */
  async end(): Promise<void> {
    this.#stopRenewal();
    await Promise.allSettled([this.#revoke(), this.#credential?.remove()]);
  }
}
