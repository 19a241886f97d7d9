import { Throttle } from "@nest/auth";
import type { CommandBatcher, Ledger } from "@nest/dispatch";
import type { Clock, Log } from "@nest/kit";
import type { AuthRefusalReason, RelayMessage } from "@nest/protocol";
import type { ModelPolicy } from "../queue-settings/model-policy.ts";
import { type Accepted, authenticate } from "./authenticate.ts";
import type { Probes } from "./probes.ts";
import type { Roster } from "./roster.ts";
import type { Session } from "./session.ts";

/** Maximum number of connections of one contributor at this replica; nobody has more machines. */
const MOST_SOCKETS = 32;
/** Maximum number of times that the relays of one contributor may connect. */
const MOST_WELCOMES = { most: 120, withinMs: 60_000 };

export interface EntranceDeps {
  readonly ledger: Ledger;
  readonly batcher: CommandBatcher;
  readonly models: () => ModelPolicy;
  /** Whether other replicas are alive now. */
  readonly isShared: () => boolean;
  /** Rate limiter for addresses that send invalid tokens. */
  readonly wrongTokens: { count(address: string): number };
  readonly roster: Roster;
  readonly probes: Probes;
  readonly clock: Clock;
  readonly log: Log;
}

/** Called when a relay is admitted or refused. */
export interface EntranceListener {
  admit(session: Session, accepted: Accepted, now: number): void;
  refused(): void;
}

/** Admits relays that authenticate, up to a limit for each contributor. */
export class Entrance {
  readonly #deps: EntranceDeps;
  readonly #welcomes: Throttle;

  constructor(deps: EntranceDeps) {
    this.#deps = deps;
    this.#welcomes = new Throttle(deps.clock, MOST_WELCOMES);
  }

  /**
   * Handles a message of an unauthenticated connection; ignores all but its `auth_response`. `isNewest`: this replica has
   * read the latest tokens.
   */
  receive(session: Session, message: RelayMessage, now: number, listener: EntranceListener, isNewest = false): void {
    if (message.type !== "auth_response") return;
    const { ledger, models, batcher, wrongTokens, isShared } = this.#deps;
    const policy = models();
    const result = authenticate(message, session.nonce, ledger, policy);
    const later = (isNewestThen: boolean) => {
      if (!session.closed && session.relayIdentity === undefined)
        this.receive(session, message, now, listener, isNewestThen);
    };
    if (result.kind === "unjudged") {
      // A model that cannot be judged now is not let in: its socket's time to sign in runs out, and it comes again.
      void policy.judge(result.model).then((isJudged) => isJudged && later(isNewest));
      return;
    }
    if (result.kind === "refused") {
      if (!isNewest && isShared() && result.reason === "invalid token") {
        // Another replica may have issued the token a moment ago.
        void batcher.sync().then(() => later(true));
        return;
      }
      if (result.reason === "invalid token") wrongTokens.count(session.address);
      this.#refuse(session, listener, result.reason, result.acceptedModels);
      return;
    }
    const tooMany = this.#tooMany(result.contributor.id);
    if (tooMany === undefined) listener.admit(session, result, now);
    else this.#refuse(session, listener, tooMany);
  }

  /** Refuses a relay whose `auth_response` is unreadable; it would be unreadable again. */
  receiveUnreadable(session: Session, because: string, listener: EntranceListener): void {
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

  /** Why a contributor may not have one more connection; undefined when it may. */
  #tooMany(contributorId: string): AuthRefusalReason | undefined {
    const { roster, probes } = this.#deps;
    const siblings = roster.of(contributorId);
    if (siblings.length >= MOST_SOCKETS) {
      // Ping the others: connections that are dead make room for the next try.
      for (const sibling of siblings) void probes.ask(sibling);
      return `too many connections: this contributor has ${MOST_SOCKETS} already`;
    }
    const waitMs = this.#welcomes.count(contributorId);
    if (waitMs === 0) return undefined;
    return `too many connections in a minute; try again in ${Math.ceil(waitMs / 1000)} s`;
  }
}
