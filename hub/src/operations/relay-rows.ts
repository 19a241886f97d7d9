import { type Ledger, pauseFor, type RelayIdentity } from "@nest/dispatch";
import type { contribute } from "@nest/protocol";
import type { RemoteRelay } from "../relays/peers.ts";
import type { CredentialFailure, Declared, LastFailure, Session } from "../relays/session.ts";
import type { Visibility } from "./visibility.ts";

export interface RelayRowDeps {
  readonly ledger: Ledger;
  /** The delegated role in which a session works, and the one that an owner set. */
  readonly roles: (session: Session) => { readonly inForce: string | undefined; readonly assigned: string | undefined };
  readonly now: () => number;
}

/** What a session's row was made from, beside roles and pauses. */
type RowSource = Pick<Session, "login" | "tier" | "declared" | "connectedAt" | "idleReason"> & {
  readonly relayIdentity: RelayIdentity;
  readonly current: string | undefined;
  readonly lastFailure: LastFailure | undefined;
  readonly credentialFailure: CredentialFailure | undefined;
};

/** A session's row. A sign of life, by far the most frequent change, is written into it; with any other change it is made anew. */
interface KnownRow {
  readonly madeFrom: RowSource;
  /** When a pause that it tells of ends (ms). */
  readonly goodUntil: number;
  /** When the session was last heard (ms), as the row says. */
  heardAt: number;
  readonly row: contribute.FleetRelay;
}

/** Connected relays as people see them: what each declared, what it does, whether it is paused, what failed last. */
export class RelayRows {
  readonly #deps: RelayRowDeps;
  /** With thousands of relays most rows are each second what they were: those stay the same objects. */
  #known = new WeakMap<Session, KnownRow>();
  #settings: unknown;

  constructor(deps: RelayRowDeps) {
    this.#deps = deps;
  }

  /** Forgets the rows, because a role or a pause may be another one. */
  forget(): void {
    this.#known = new WeakMap();
  }

  /** The settings in force: with other ones relays may have other roles. */
  madeUnder(settings: unknown): void {
    if (settings !== this.#settings) this.forget();
    this.#settings = settings;
  }

  /** The row of a session of this replica; none before it has authenticated. `current`: the task that it has. */
  ofSession(session: Session, current: string | undefined, visibility: Visibility): contribute.FleetRelay | undefined {
    const { relayIdentity, lastActivityAt } = session;
    if (relayIdentity === undefined) return undefined;
    const lastFailure = shownFailure(session.lastFailure, visibility);
    const credentialFailure = shownFailure(session.credentialFailure, visibility);
    const now = this.#deps.now();
    const known = this.#known.get(session);
    if (
      known === undefined ||
      now >= known.goodUntil ||
      !isMadeFrom(known.madeFrom, session) ||
      known.madeFrom.current !== current ||
      known.madeFrom.lastFailure !== lastFailure ||
      known.madeFrom.credentialFailure !== credentialFailure
    ) {
      const { login, tier, declared, connectedAt, idleReason } = session;
      const facts = { current, lastFailure, credentialFailure };
      return this.#make(session, { relayIdentity, login, tier, declared, connectedAt, idleReason, ...facts });
    }
    if (known.heardAt !== lastActivityAt) {
      known.heardAt = lastActivityAt;
      known.row.last_activity = iso(lastActivityAt);
    }
    return known.row;
  }

  #make(session: Session, madeFrom: RowSource): contribute.FleetRelay {
    const { connection, lastActivityAt: heardAt } = session;
    const paused = pauseFor(this.#deps.ledger, madeFrom.relayIdentity, this.#deps.now());
    const row = rowOf(madeFrom, { connection, heardAt, ...this.#deps.roles(session), ...pauseRow(paused) });
    this.#known.set(session, { madeFrom, goodUntil: paused?.pause.until ?? Number.POSITIVE_INFINITY, heardAt, row });
    return row;
  }

  /** The row of another replica's relay, as that replica tells it unfiltered. */
  ofRemote({ row }: RemoteRelay, current: string | undefined, visibility: Visibility): contribute.FleetRelay {
    const { idle_reason, last_failure, credential_failure, pause: _, ...rest } = row;
    const { contributor_id: contributorId, session } = row;
    const identity = session === undefined ? contributorId : `${contributorId}#${session}`;
    const paused = this.#pauseOf({ contributorId, identity });
    const idle = current === undefined ? idleFor(idle_reason, paused.pause) : undefined;
    return {
      ...rest,
      ...(current === undefined ? {} : { current_task: current }),
      ...(idle === undefined ? {} : { idle_reason: idle }),
      ...paused,
      ...(last_failure === undefined || !visibility(last_failure.repo) ? {} : { last_failure }),
      ...(credential_failure === undefined || !visibility(credential_failure.repo) ? {} : { credential_failure }),
    };
  }

  #pauseOf(relay: Pick<RelayIdentity, "contributorId" | "identity">): Pick<contribute.FleetRelay, "pause"> {
    return pauseRow(pauseFor(this.#deps.ledger, relay, this.#deps.now()));
  }
}

/** Whether a session is what it was. Written out, for it is asked of every relay each second. */
function isMadeFrom(known: RowSource, session: Session): boolean {
  return (
    known.idleReason === session.idleReason &&
    known.declared === session.declared &&
    known.relayIdentity === session.relayIdentity &&
    known.login === session.login &&
    known.tier === session.tier &&
    known.connectedAt === session.connectedAt
  );
}

function pauseRow(paused: ReturnType<typeof pauseFor>): Pick<contribute.FleetRelay, "pause"> {
  if (paused === undefined) return {};
  const { scope, pause } = paused;
  return { pause: { scope, ...(pause.until === null ? {} : { until: iso(pause.until) }) } };
}

/** Why a relay has no work, as it was told last. A pause that has ended since is no reason any more: nothing more is known. */
function idleFor(
  reason: contribute.FleetRelay["idle_reason"],
  pause: contribute.FleetRelay["pause"],
): contribute.FleetRelay["idle_reason"] {
  return reason === "paused" && pause === undefined ? undefined : reason;
}

interface RowFacts {
  readonly connection: string;
  readonly heardAt: number;
  readonly inForce: string | undefined;
  readonly assigned: string | undefined;
  readonly pause?: contribute.FleetRelay["pause"];
}

/** Field by field: a fleet at work has hundreds made anew each second, and objects that are spread would all have to be collected. */
function rowOf(source: RowSource, facts: RowFacts): contribute.FleetRelay {
  const { declared, idleReason, current, lastFailure, credentialFailure } = source;
  const { inForce, assigned, pause } = facts;
  const { capabilities, protocol } = declaredRow(declared);
  const row: contribute.FleetRelay = {
    contributor_id: source.relayIdentity.contributorId,
    github_username: source.login,
    connection_id: facts.connection,
    trust_tier: source.tier,
    capabilities,
    protocol,
    connected_at: iso(source.connectedAt),
    last_activity: iso(facts.heardAt),
  };
  if (declared.backend !== undefined) row.cli_backend = declared.backend;
  if (declared.model !== undefined) row.model = declared.model;
  if (inForce !== undefined) row.role = inForce;
  if (declared.role !== undefined) row.client_role = declared.role;
  if (assigned !== undefined) row.assigned_agent_role = assigned;
  if (declared.role !== undefined && declared.role !== inForce) row.role_mismatch = true;
  if (declared.session !== undefined) row.session = declared.session;
  if (current !== undefined) row.current_task = current;
  const idle = current === undefined ? idleFor(idleReason, pause) : undefined;
  if (idle !== undefined) row.idle_reason = idle;
  if (pause !== undefined) row.pause = pause;
  if (credentialFailure !== undefined) row.credential_failure = credentialFailureRow(credentialFailure);
  if (lastFailure !== undefined) row.last_failure = lastFailureRow(lastFailure);
  return row;
}

const declaredRows = new WeakMap<Declared, Pick<contribute.FleetRelay, "capabilities" | "protocol">>();

/** What a relay declared once and shows in every row: the same objects each time, for its row is made anew with each task. */
function declaredRow(declared: Declared): Pick<contribute.FleetRelay, "capabilities" | "protocol"> {
  const known = declaredRows.get(declared);
  if (known !== undefined) return known;
  const facts = Object.entries(declared.facts).filter(([, value]) => value !== undefined);
  const row = {
    capabilities: Object.fromEntries(facts) as Record<string, string>,
    protocol: {
      ...(declared.version === undefined ? {} : { declared: declared.version }),
      verdict: declared.verdict,
    },
  };
  declaredRows.set(declared, row);
  return row;
}

/** A failure, if its repository may be seen. */
function shownFailure<Failure extends { readonly repo: string }>(
  failure: Failure | undefined,
  visibility: Visibility,
): Failure | undefined {
  return failure === undefined || !visibility(failure.repo) ? undefined : failure;
}

function lastFailureRow({ taskId, repo, number, kind, reason, permanent, at }: LastFailure) {
  return { task_id: taskId, repo, number, kind, reason, permanent, at: iso(at) };
}

function credentialFailureRow({ taskId, repo, number, reason, at }: CredentialFailure) {
  return { task_id: taskId, repo, number, reason, at: iso(at) };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
