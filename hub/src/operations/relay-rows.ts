import { type Ledger, pauseFor, type RelayIdentity } from "@nest/dispatch";
import type { contribute } from "@nest/protocol";
import type { RemoteRelay } from "../relays/peers.ts";
import type { CredentialFailure, Session } from "../relays/session.ts";

/** Whether the viewer may see a repository's details. */
export type Visibility = (repo: string) => boolean;

export interface RelayRowDeps {
  readonly ledger: Ledger;
  /** The delegated role in which a session works, and the one that an owner set. */
  readonly roles: (session: Session) => { readonly inForce: string | undefined; readonly assigned: string | undefined };
  readonly now: () => number;
}

/** Connected relays as people see them: what each declared, what it does, whether it is paused, what failed last. */
export class RelayRows {
  readonly #deps: RelayRowDeps;

  constructor(deps: RelayRowDeps) {
    this.#deps = deps;
  }

  /** The row of a session of this replica; none before it has authenticated. `held`: the task of each connection that has one. */
  ofSession(session: Session, held: ReadonlyMap<string, string>, visibility: Visibility): contribute.FleetRelay[] {
    const { inForce, assigned } = this.#deps.roles(session);
    const { relayIdentity, declared, lastFailure, credentialFailure } = session;
    if (relayIdentity === undefined) return [];
    const current = held.get(session.connection);
    const capabilities = Object.fromEntries(
      Object.entries(declared.facts).filter(([, value]) => value !== undefined),
    ) as Record<string, string>;
    return [
      {
        contributor_id: relayIdentity.contributorId,
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
        ...(current !== undefined || session.idleReason === undefined ? {} : { idle_reason: session.idleReason }),
        ...this.#pauseOf(relayIdentity),
        ...(credentialFailure === undefined || !visibility(credentialFailure.repo)
          ? {}
          : { credential_failure: credentialFailureRow(credentialFailure) }),
        ...(lastFailure === undefined || !visibility(lastFailure.repo)
          ? {}
          : {
              last_failure: {
                task_id: lastFailure.taskId,
                repo: lastFailure.repo,
                number: lastFailure.number,
                kind: lastFailure.kind,
                reason: lastFailure.reason,
                permanent: lastFailure.permanent,
                at: iso(lastFailure.at),
              },
            }),
      },
    ];
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

function credentialFailureRow({ taskId, repo, number, reason, at }: CredentialFailure) {
  return { task_id: taskId, repo, number, reason, at: iso(at) };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
