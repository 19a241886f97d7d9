import type { CommandBatcher, Ledger, RelayIdentity } from "@nest/dispatch";
import type { Clock, Log } from "@nest/kit";
import { closeCodes, type OwnLimitsLeft, permissionsOf, type Tier } from "@nest/protocol";
import type { Accepted } from "./authenticate.ts";
import { mannersOf } from "./manners.ts";
import type { Presence } from "./presence.ts";
import type { RelayEvents } from "./relay-events.ts";
import type { Roster } from "./roster.ts";
import type { Session } from "./session.ts";
import type { TaskCredentials } from "./task-credentials.ts";
import { welcome } from "./welcome.ts";

export interface ConnectedRelayDeps {
  readonly roster: Roster;
  readonly batcher: CommandBatcher;
  readonly ledger: Ledger;
  readonly credentials: TaskCredentials;
  readonly presence: Presence;
  readonly events: RelayEvents;
  /** The hub's capabilities, as it announces them. */
  readonly capabilities: string[];
  /** The delegated role in which a contributor's relay works, given the role it requests. */
  readonly roleOf: (contributorId: string, requested: string | undefined) => string | undefined;
  /** How much of the tier's limits a contributor has left; undefined without limits. */
  readonly limitsOf: (contributorId: string) => OwnLimitsLeft | undefined;
  /** The operators' message to every relay; empty = none. */
  readonly announcement: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The relays connected to this replica: joins them, changes their tier, removes them. */
export class ConnectedRelays {
  readonly #deps: ConnectedRelayDeps;

  constructor(deps: ConnectedRelayDeps) {
    this.#deps = deps;
  }

  /** Welcomes a relay that has authenticated. */
  join(session: Session, { contributor, identity, declared, additions }: Accepted, now: number): void {
    const { roster, presence, events } = this.#deps;
    const relayIdentity: RelayIdentity = { connection: session.connection, contributorId: contributor.id, identity };
    const { login, tier } = contributor;
    Object.assign(session, { relayIdentity, login, tier, declared, connectedAt: now, lastActivityAt: now });
    session.manners = mannersOf(additions, declared.version);
    roster.add(session, contributor.id);
    presence.connected(
      identity,
      contributor.id,
      [declared.session, declared.backend, declared.model].filter(Boolean).join(" "),
    );
    if (declared.verdict !== "current") {
      this.#deps.log.info(
        { contributor: login, declared: declared.version, verdict: declared.verdict },
        "relay speaks another protocol version",
      );
    }
    welcome(session, contributor, {
      capabilities: this.#deps.capabilities,
      role: this.#deps.roleOf(contributor.id, declared.role),
      limits: this.#deps.limitsOf(contributor.id),
      announcement: this.#deps.announcement(),
    });
    events.changed();
  }

  /** Removes a session whose relay is gone; its task stays reserved for its identity. */
  leave(session: Session): void {
    const { relayIdentity } = session;
    if (relayIdentity === undefined || !this.#deps.roster.remove(session)) return;
    this.#deps.credentials.detach(relayIdentity.connection);
    this.#deps.batcher.submit({ kind: "dropped", ...relayIdentity });
    this.#deps.presence.disconnected(relayIdentity.identity, relayIdentity.contributorId);
    this.#deps.events.changed();
  }

  /** Closes a session that does not answer, because a newer connection has its session name or claims its task. */
  cutSilent(session: Session): void {
    session.close(closeCodes.silent, "no answer to a ping, and a newer connection came");
    this.leave(session);
  }

  /** These connections lost their leases while this process stalled: their relays reconnect and resume. */
  recall(connections: readonly string[]): void {
    for (const connection of connections) {
      const session = this.#deps.roster.get(connection);
      if (session === undefined) continue;
      session.close(closeCodes.restarting, "this hub stalled; reconnect and resume");
      this.leave(session);
    }
  }

  /** After a full reload: re-checks each session's contributor, closes revoked ones, applies tier changes. */
  review(): void {
    for (const session of [...this.#deps.roster.all()]) {
      const contributor = this.#deps.ledger.contributor(session.relayIdentity?.contributorId ?? "");
      if (contributor === undefined || contributor.tier === "revoked")
        session.close(closeCodes.policy, "access revoked");
      else this.#setTier(session, contributor.tier);
    }
  }

  /** Closes a contributor's connections, or only one of them. */
  close(contributorId: string, reason: string, only?: string): void {
    for (const session of this.#deps.roster.of(contributorId))
      if (only === undefined || only === session.connection) session.close(closeCodes.policy, reason);
  }

  /** Applies a contributor's new tier to all their connections at once. */
  setTier(contributorId: string, tier: Tier): void {
    for (const session of this.#deps.roster.of(contributorId)) this.#setTier(session, tier);
  }

  /** Sends the operators' message to every relay. */
  announce(message: string): void {
    for (const session of this.#deps.roster.all()) session.send({ type: "notice", message });
  }

  /** Also replaces the credentials of the contributor's tasks by credentials of the new tier. */
  #setTier(session: Session, tier: Tier): void {
    if (session.tier === tier) return;
    session.tier = tier;
    const news = session.manners.isOurs ? { trust_tier: tier, permissions: [...permissionsOf(tier)] } : {};
    session.send({ type: "notice", message: `your trust tier is now ${tier}`, ...news });
    for (const lease of this.#deps.ledger.leasesOfContributor(session.relayIdentity?.contributorId ?? "")) {
      if (lease.connection === session.connection && lease.acceptedAt !== undefined)
        this.#deps.credentials.replace(lease, session);
    }
  }
}
