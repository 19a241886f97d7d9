import type { Access, CodeHost, TaskCredential } from "@nest/codehost";
import type { Lease } from "@nest/dispatch";
import { type CancelTimer, type Clock, type Log, plainLine, sentenceOf } from "@nest/kit";
import { type Durations, permissionsOf } from "@nest/protocol";
import type { RelayEvents } from "./relay-events.ts";
import type { Session } from "./session.ts";

export interface TaskCredentialDeps {
  readonly codeHost: CodeHost;
  readonly clock: Clock;
  readonly times: Durations;
  readonly log: Log;
  /** Called when issuing a token fails, and when it works again. */
  readonly events: RelayEvents;
}

interface Handed {
  readonly connection: string;
  credential: TaskCredential | undefined;
  cancel: CancelTimer;
  ended: boolean;
  /** The reason of the last failure that was sent to the relay. */
  failure: string | undefined;
}

/** Maximum length of a reason, enough for a sentence. */
const LONGEST_REASON = 300;
/** Delay before a failed renewal is tried again. */
const RETRY_MS = 30_000;

/**
 * The short-lived code-host token of each current task (spec: Authentication, relay task work): limited to one repository and
 * the tier's permissions, renewed before it expires, revoked when the task ends. A personal token never leaves the hub.
 */
export class TaskCredentials {
  readonly #deps: TaskCredentialDeps;
  readonly #handed = new Map<string, Handed>();

  constructor(deps: TaskCredentialDeps) {
    this.#deps = deps;
  }

  get available(): boolean {
    return this.#deps.codeHost.kind === "app";
  }

  /** Issues a credential to the connection that accepted or resumed a task. */
  hand(lease: Lease, session: Session): void {
    if (!this.available) return;
    this.#handed.get(lease.taskId)?.cancel();
    const handed: Handed = {
      connection: session.connection,
      credential: undefined,
      cancel: () => {},
      ended: false,
      failure: undefined,
    };
    this.#handed.set(lease.taskId, handed);
    void this.#mint(lease, session, handed);
  }

  /** After a change of tier: issues a credential of the new tier and revokes the old one. */
  replace(lease: Lease, session: Session): void {
    this.release(lease.taskId);
    this.hand(lease, session);
  }

  /** After the end of a task: revokes its token. */
  release(taskId: string): void {
    const handed = this.#handed.get(taskId);
    if (handed === undefined) return;
    this.#handed.delete(taskId);
    this.#stop(handed);
    const { credential } = handed;
    if (credential !== undefined) this.#revoke(credential);
  }

  /** After a connection was closed: stops renewing. The token expires by itself, and a resume gets a new one. */
  detach(connection: string): void {
    for (const [taskId, handed] of this.#handed) {
      if (handed.connection !== connection) continue;
      this.#handed.delete(taskId);
      this.#stop(handed);
    }
  }

  #stop(handed: Handed): void {
    handed.ended = true;
    handed.cancel();
  }

  #revoke(credential: TaskCredential): void {
    this.#deps.codeHost.revokeCredential(credential.token).catch((thrown) => {
      this.#deps.log.warn({ because: sentenceOf(thrown) }, "a task token could not be revoked; it expires by itself");
    });
  }

  /** Tells the relay that no token will come, and shows people why; each reason once. */
  #tellFailure(lease: Lease, session: Session, handed: Handed, reason: string): void {
    if (handed.failure === reason) return;
    handed.failure = reason;
    const { taskId, repo, number } = lease;
    const task = session.manners.isOurs ? { task_id: taskId } : {};
    session.send({ type: "token_refresh_failed", ...task, reason });
    this.#show(session, { taskId, repo, number, reason, at: this.#deps.clock.now() });
  }

  #show(session: Session, failure: Session["credentialFailure"]): void {
    if (session.credentialFailure === failure) return;
    session.credentialFailure = failure;
    this.#deps.events.changed();
  }

  async #mint(lease: Lease, session: Session, handed: Handed): Promise<void> {
    const { codeHost, clock, times, log } = this.#deps;
    let again = RETRY_MS;
    try {
      const permissions = permissionsOf(session.tier);
      const credential = await codeHost.taskCredential(lease.repo, accessOf(permissions));
      if (credential === undefined) return;
      if (handed.ended) return this.#revoke(credential);
      handed.credential = credential;
      handed.failure = undefined;
      this.#show(session, undefined);
      session.send({
        type: "token_refresh",
        github_token: credential.token.reveal(),
        token_expires_at: new Date(credential.expiresAt).toISOString(),
        ...(session.manners.isOurs ? { permissions: [...permissions] } : {}),
      });
      again = Math.max(1000, Math.min(times.credentialRenewMs, (credential.expiresAt - clock.now()) * 0.8));
    } catch (thrown) {
      const because = plainLine(sentenceOf(thrown)).slice(0, LONGEST_REASON);
      log.warn({ repo: lease.repo, because }, "no task token could be made; trying again");
      if (!handed.ended) this.#tellFailure(lease, session, handed, because);
    }
    if (!handed.ended) handed.cancel = clock.after(again, () => void this.#mint(lease, session, handed));
  }
}

/** Converts permissions such as `issues:write` to the code host's names. */
function accessOf(permissions: readonly string[]): Record<string, Access> {
  const access: Record<string, Access> = { metadata: "read" };
  for (const permission of permissions) {
    const [name = "", level] = permission.split(":");
    access[name === "pulls" ? "pull_requests" : name] = level === "write" ? "write" : "read";
  }
  return access;
}
