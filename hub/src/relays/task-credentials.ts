import type { Access, CodeHost, TaskCredential } from "@nest/codehost";
import { type CancelTimer, type Clock, type Log, sentenceOf } from "@nest/kit";
import { type Durations, permissionsOf } from "@nest/protocol";
import type { Lease } from "../leases/lease.ts";
import type { Session } from "./session.ts";

export interface TaskCredentialParts {
  readonly codeHost: CodeHost;
  readonly clock: Clock;
  readonly times: Durations;
  readonly log: Log;
}

interface Handed {
  readonly connection: string;
  credential: TaskCredential | undefined;
  cancel: CancelTimer;
  ended: boolean;
}

/** A renewal that failed is tried again this often. */
const RETRY_MS = 30_000;

/**
 * The short-lived code-host token of each task in hand (spec: Authentication, relay task work): narrowed to the one repository
 * and the tier's permissions, renewed before it expires, useless once the task ends. A personal token never leaves the hub.
 */
export class TaskCredentials {
  readonly #parts: TaskCredentialParts;
  readonly #handed = new Map<string, Handed>();

  constructor(parts: TaskCredentialParts) {
    this.#parts = parts;
  }

  get available(): boolean {
    return this.#parts.codeHost.kind === "app";
  }

  /** Hands the credential of a task that was accepted, or resumed, to the socket that holds it. */
  hand(lease: Lease, session: Session): void {
    if (!this.available) return;
    this.#handed.get(lease.taskId)?.cancel();
    const handed: Handed = { connection: session.connection, credential: undefined, cancel: () => {}, ended: false };
    this.#handed.set(lease.taskId, handed);
    void this.#mint(lease, session, handed);
  }

  /** The tier has changed: the task gets a credential of the new one, and the old one is taken back. */
  replace(lease: Lease, session: Session): void {
    this.release(lease.taskId);
    this.hand(lease, session);
  }

  /** The task is over: its token is taken back. */
  release(taskId: string): void {
    const handed = this.#handed.get(taskId);
    if (handed === undefined) return;
    this.#handed.delete(taskId);
    this.#stop(handed);
    const { credential } = handed;
    if (credential !== undefined) this.#takeBack(credential);
  }

  /** The socket is gone; the token it has runs out by itself, a resume gets another. */
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

  #takeBack(credential: TaskCredential): void {
    this.#parts.codeHost.revokeCredential(credential.token).catch((thrown) => {
      this.#parts.log.warn(
        { because: sentenceOf(thrown) },
        "a task token could not be taken back; it runs out by itself",
      );
    });
  }

  async #mint(lease: Lease, session: Session, handed: Handed): Promise<void> {
    const { codeHost, clock, times, log } = this.#parts;
    let again = RETRY_MS;
    try {
      const credential = await codeHost.taskCredential(lease.repo, accessOf(permissionsOf(session.tier)));
      if (credential === undefined) return;
      if (handed.ended) return this.#takeBack(credential);
      handed.credential = credential;
      session.send({
        type: "token_refresh",
        github_token: credential.token.reveal(),
        token_expires_at: new Date(credential.expiresAt).toISOString(),
      });
      again = Math.max(1000, Math.min(times.credentialRenewMs, (credential.expiresAt - clock.now()) * 0.8));
    } catch (thrown) {
      log.warn({ repo: lease.repo, because: sentenceOf(thrown) }, "no task token could be made; trying again");
    }
    if (!handed.ended) handed.cancel = clock.after(again, () => void this.#mint(lease, session, handed));
  }
}

/** `issues:write` and the like as the code host names them. */
function accessOf(permissions: readonly string[]): Record<string, Access> {
  const access: Record<string, Access> = { metadata: "read" };
  for (const permission of permissions) {
    const [name = "", level] = permission.split(":");
    access[name === "pulls" ? "pull_requests" : name] = level === "write" ? "write" : "read";
  }
  return access;
}
