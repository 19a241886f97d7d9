import { Throttle } from "@nest/auth";
import type { CommandBatcher, Ledger } from "@nest/dispatch";
import type { Clock, Log } from "@nest/kit";
import type { AuthRefusalReason, RelayMessage } from "@nest/protocol";
import type { ModelPolicy } from "../queue-settings/model-policy.ts";
import { type Accepted, authenticate } from "./authenticate.ts";
import type { Probes } from "./probes.ts";
import type { Roster } from "./roster.ts";
import type { Session } from "./session.ts";

/** Sockets of one contributor at this replica: more machines than anybody has. */
const MOST_SOCKETS = 32;
/** How often relays of one contributor may come back. */
const MOST_WELCOMES = { most: 120, withinMs: 60_000 };

export interface EntranceDeps {
  readonly ledger: Ledger;
  readonly batcher: CommandBatcher;
  readonly models: () => ModelPolicy;
  /** Whether there are other replicas at this moment. */
  readonly isShared: () => boolean;
  /** Addresses that keep sending tokens which are none. */
  readonly guesses: { count(address: string): number };
  readonly roster: Roster;
  readonly probes: Probes;
  readonly clock: Clock;
  readonly log: Log;
}

/** Told who may come in, and who may not. */
export interface EntranceListener {
  admit(session: Session, accepted: Accepted, now: number): void;
  refused(): void;
}

/** Lets relays in that say who they are, as many of each contributor as one may have. */
export class Entrance {
  readonly #deps: EntranceDeps;
  readonly #welcomes: Throttle;

  constructor(deps: EntranceDeps) {
    this.#deps = deps;
    this.#welcomes = new Throttle(deps.clock, MOST_WELCOMES);
  }

  /** What a socket says that nobody knows yet; everything but its `auth_response` is ignored. */
  hear(session: Session, message: RelayMessage, now: number, listener: EntranceListener, isNewest = false): void {
    if (message.type !== "auth_response") return;
    const { ledger, models, batcher, guesses, isShared } = this.#deps;
    const policy = models();
    const result = authenticate(message, session.nonce, ledger, policy);
    const later = (isNewestThen: boolean) => {
      if (!session.closed && session.relayIdentity === undefined)
        this.hear(session, message, now, listener, isNewestThen);
    };
    if (result.kind === "unjudged") {
      void policy.judge(result.model).then(() => later(isNewest));
      return;
    }
    if (result.kind === "refused") {
      if (!isNewest && isShared() && result.reason === "invalid token") {
        // Another replica may have given it out a moment ago.
        void batcher.sync().then(() => later(true));
        return;
      }
      if (result.reason === "invalid token") guesses.count(session.address);
      this.#refuse(session, listener, result.reason, result.acceptedModels);
      return;
    }
    const tooMany = this.#tooMany(result.contributor.id);
    if (tooMany === undefined) listener.admit(session, result, now);
    else this.#refuse(session, listener, tooMany);
  }

  /** An `auth_response` that cannot be read is no better the next time. */
  misheard(session: Session, because: string, listener: EntranceListener): void {
    this.#refuse(session, listener, `malformed ${because}`);
  }

  #refuse(
    session: Session,
    listener: EntranceListener,
    because: AuthRefusalReason,
    acceptedModels?: readonly string[],
  ): void {
    listener.refused();
    this.#deps.log.info({ connection: session.connection, because }, "relay refused");
    session.refuse(because, acceptedModels);
  }

  /** Why one more socket of a contributor is too much; undefined when it is not. */
  #tooMany(contributorId: string): AuthRefusalReason | undefined {
    const { roster, probes } = this.#deps;
    const siblings = roster.of(contributorId);
    if (siblings.length >= MOST_SOCKETS) {
      // Those that are gone without a goodbye make room.
      for (const sibling of siblings) void probes.ask(sibling);
      return `too many connections: this contributor has ${MOST_SOCKETS} already`;
    }
    const waitMs = this.#welcomes.count(contributorId);
    if (waitMs === 0) return undefined;
    return `too many connections in a minute; try again in ${Math.ceil(waitMs / 1000)} s`;
  }
}
