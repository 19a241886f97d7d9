import { type Ledger, pauseFor, type RelayIdentity } from "@nest/dispatch";
import type { contribute } from "@nest/protocol";
import type { RemoteRelay } from "../relays/peers.ts";
import type { CredentialFailure, LastFailure, Session } from "../relays/session.ts";

/** Whether the viewer may see a repository's details. */
export type Visibility = (repo: string) => boolean;

export interface RelayRowDeps {
  readonly ledger: Ledger;
  /** The delegated role in which a session works, and the one that an owner set. */
  readonly roles: (session: Session) => { readonly inForce: string | undefined; readonly assigned: string | undefined };
  readonly now: () => number;
}

/** A session's row and what it was made from. */
interface KnownRow {
  readonly madeFrom: readonly unknown[];
  readonly rows: contribute.FleetRelay[];
}

/** Connected relays as people see them: what each declared, what it does, whether it is paused, what failed last. */
export class RelayRows {
  readonly #deps: RelayRowDeps;
  /** With thousands of relays most rows are each second what they were: those stay the same objects. */
  readonly #known = new WeakMap<Session, KnownRow>();

  constructor(deps: RelayRowDeps) {
    this.#deps = deps;
  }

  /** The row of a session of this replica; none before it has authenticated. `held`: the task of each connection that has one. */
  ofSession(session: Session, held: ReadonlyMap<string, string>, visibility: Visibility): contribute.FleetRelay[] {
    const { relayIdentity } = session;
    if (relayIdentity === undefined) return [];
    const current = held.get(session.connection);
    const { inForce, assigned } = this.#deps.roles(session);
    const { pause } = this.#pauseOf(relayIdentity);
    const lastFailure = shownFailure(session.lastFailure, visibility);
    const credentialFailure = shownFailure(session.credentialFailure, visibility);
    const { login, tier, declared, connectedAt, lastActivityAt, idleReason } = session;
    const madeFrom = [
      ...[relayIdentity, login, tier, declared, connectedAt, lastActivityAt, idleReason],
      ...[current, inForce, assigned, pause?.scope, pause?.until, lastFailure, credentialFailure],
    ];
    const known = this.#known.get(session);
    if (known?.madeFrom.every((value, nth) => value === madeFrom[nth]) === true) return known.rows;
    const failures = { lastFailure, credentialFailure };
    const rows = [rowOf(session, relayIdentity.contributorId, { current, inForce, assigned, pause, ...failures })];
    this.#known.set(session, { madeFrom, rows });
    return rows;
  }

  /** The row of another replica's relay, as that replica tells it unfiltered. */
  ofRemote({ row }: RemoteRelay, held: ReadonlyMap<string, string>, visibility: Visibility): contribute.FleetRelay {
    const { idle_reason, last_failure, credential_failure, pause: _, ...rest } = row;
    const { contributor_id: contributorId, session } = row;
    const identity = session === undefined ? contributorId : `${contributorId}#${session}`;
    const current = held.get(row.connection_id);
    return {
      ...rest,
      ...(current === undefined ? {} : { current_task: current }),
      ...(current !== undefined || idle_reason === undefined ? {} : { idle_reason }),
      ...this.#pauseOf({ contributorId, identity }),
      ...(last_failure === undefined || !visibility(last_failure.repo) ? {} : { last_failure }),
      ...(credential_failure === undefined || !visibility(credential_failure.repo) ? {} : { credential_failure }),
    };
  }

  #pauseOf(relay: Pick<RelayIdentity, "contributorId" | "identity">): Pick<contribute.FleetRelay, "pause"> {
    const { ledger, now } = this.#deps;
    const paused = pauseFor(ledger, relay, now());
    if (paused === undefined) return {};
    const { scope, pause } = paused;
    return { pause: { scope, ...(pause.until === null ? {} : { until: iso(pause.until) }) } };
  }
}

interface RowFacts {
  readonly current: string | undefined;
  readonly inForce: string | undefined;
  readonly assigned: string | undefined;
  readonly pause: contribute.FleetRelay["pause"];
  readonly lastFailure: LastFailure | undefined;
  readonly credentialFailure: CredentialFailure | undefined;
}

function rowOf(session: Session, contributorId: string, facts: RowFacts): contribute.FleetRelay {
  const { declared, idleReason } = session;
  const { current, inForce, assigned, pause, lastFailure, credentialFailure } = facts;
  const capabilities = Object.fromEntries(
    Object.entries(declared.facts).filter(([, value]) => value !== undefined),
  ) as Record<string, string>;
  return {
    contributor_id: contributorId,
    github_username: session.login,
    connection_id: session.connection,
    trust_tier: session.tier,
    ...(declared.backend === undefined ? {} : { cli_backend: declared.backend }),
    ...(declared.model === undefined ? {} : { model: declared.model }),
    ...(inForce === undefined ? {} : { role: inForce }),
    ...(declared.role === undefined ? {} : { client_role: declared.role }),
    ...(assigned === undefined ? {} : { assigned_agent_role: assigned }),
    ...(declared.role === undefined || declared.role === inForce ? {} : { role_mismatch: true }),
    ...(declared.session === undefined ? {} : { session: declared.session }),
    capabilities,
    protocol: {
      ...(declared.version === undefined ? {} : { declared: declared.version }),
      verdict: declared.verdict,
    },
    connected_at: iso(session.connectedAt),
    last_activity: iso(session.lastActivityAt),
    ...(current === undefined ? {} : { current_task: current }),
    ...(current !== undefined || idleReason === undefined ? {} : { idle_reason: idleReason }),
    ...(pause === undefined ? {} : { pause }),
    ...(credentialFailure === undefined ? {} : { credential_failure: credentialFailureRow(credentialFailure) }),
    ...(lastFailure === undefined ? {} : { last_failure: lastFailureRow(lastFailure) }),
  };
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
