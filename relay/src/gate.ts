import { type KnownSecrets, type Outcome, standstillWords } from "@nest/agents";
import type { Console } from "./console/console.ts";
import type { StatusFile } from "./console/status-file.ts";
import type { Refusal } from "./handover.ts";
import type { HubStatus } from "./hub-status.ts";
import type { Readiness } from "./readiness.ts";
import type { Session } from "./session/session.ts";
import { LOGIN_HINT, lackOfLogin } from "./task/permissions.ts";

export interface GateDeps {
  readonly readiness: Readiness;
  readonly sessions: readonly Session[];
  readonly console: Console;
  readonly hubStatus: HubStatus;
  readonly secrets: KnownSecrets;
  /** Absent in interactive mode. */
  readonly statusFile: StatusFile | undefined;
  /** True when the relay holds no task and is not stopping. */
  readonly isIdle: () => boolean;
  /** Called when the relay has become able to work, or unable. */
  readonly onChange: () => void;
}

/**
 * Decides whether this relay takes work, and from which hubs: none while its agent cannot work, and none from a hub whose tasks
 * could not end in a pull request. The reason is shown to the person here and sent to the hub; no issue counts a failure.
 */
export class Gate {
  readonly #deps: GateDeps;
  /** The hubs for which a missing login has been reported. */
  readonly #told = new Set<Session>();

  constructor(deps: GateDeps) {
    this.#deps = deps;
  }

  /** Reports what is wrong already, and checks again every minute until {@link Gate.close}. */
  open(): void {
    this.#deps.readiness.start(() => this.#changed());
    if (this.trouble !== undefined) this.#changed();
  }

  close(): void {
    this.#deps.readiness.stop();
  }

  /** Why no hub is asked for work; undefined when the agent can work. */
  get trouble(): string | undefined {
    return this.#deps.readiness.trouble;
  }

  /** Absolute path of the agent's program. */
  get binary(): string | undefined {
    return this.#deps.readiness.binary;
  }

  /** Whether the contributor has a login of their own at the code host. */
  get isSignedIn(): boolean {
    return this.#deps.readiness.login !== undefined;
  }

  /** Why no task of this hub is taken; undefined when one is. */
  refusalAt(session: Session): Refusal | undefined {
    if (this.trouble !== undefined) return { word: "backend_unavailable", message: this.trouble };
    const lack = lackOfLogin(session, this.isSignedIn);
    return lack === undefined ? undefined : { word: "no_login", message: lack };
  }

  /** A hub is connected. Where its tasks need a login that is missing, tells the person before the first task. */
  welcome(session: Session): void {
    const { console, hubStatus } = this.#deps;
    const lack = lackOfLogin(session, this.isSignedIn);
    if (lack === undefined) return;
    hubStatus.note(session, lack);
    if (this.#told.has(session)) return;
    this.#told.add(session);
    console.say(`warning: no work is asked for at ${session.hub.host}: ${lack}`);
    console.say(`hint: ${LOGIN_HINT}`);
  }

  /** After a run that failed because of this machine, no task is taken before the agent is known to work: it would fail too. */
  judge(outcome: Outcome): void {
    const trouble = ownTroubleIn(outcome);
    if (trouble !== undefined) this.#deps.readiness.suspect(trouble);
  }

  /** Sets the status file to `waiting`, with the reason where the relay itself is why no work comes. */
  sayWaiting(): void {
    if (!this.#deps.isIdle()) return;
    const refusals = this.#deps.sessions.flatMap((session) =>
      session.isAuthenticated ? [this.refusalAt(session)] : [],
    );
    const reason = this.trouble ?? (refusals.includes(undefined) ? undefined : refusals[0]?.message);
    const details = reason === undefined ? {} : { reason: this.#deps.secrets.redact(reason) };
    this.#deps.statusFile?.set("waiting", details);
  }

  #changed(): void {
    const { console, sessions } = this.#deps;
    if (this.trouble === undefined) console.log.info({}, "the agent can work");
    else {
      console.say(`warning: no work is asked for: ${this.trouble}`);
      console.say("hint: contribute-check tells what is missing; the relay looks again every minute");
    }
    if (this.isSignedIn) this.#told.clear();
    for (const session of sessions) if (session.isAuthenticated) this.welcome(session);
    this.sayWaiting();
    this.#deps.onChange();
  }
}

/** Why this machine could not do the work; undefined where the work itself failed, or nothing did. Pure. */
export function ownTroubleIn(outcome: Outcome): string | undefined {
  if (outcome.kind !== "failed") return undefined;
  if (outcome.standstill === "login") return standstillWords("login");
  return outcome.failureKind === "environment" ? outcome.reason : undefined;
}
