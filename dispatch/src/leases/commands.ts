import type { ActivityEvent, AuditEvent, queue, Tier, UnavailableReason } from "@nest/protocol";
import type { Lease } from "./lease.ts";

/** The sender of a command: one authenticated connection. */
export interface RelayIdentity {
  /** The connection's id; ids are never reused. */
  readonly connection: string;
  readonly contributorId: string;
  /** Tells apart the contributor's machines: see {@link Lease.identity}. */
  readonly identity: string;
}

/** The agent for which a relay asks for work, as it declared it: kept with the task, never trusted. */
export interface AskingAgent {
  /** The agent CLI. */
  readonly backend?: string | undefined;
  readonly model?: string | undefined;
  /** The relay's protocol version. */
  readonly relayVersion?: string | undefined;
}

/** The task that a relay's message names. */
export interface TaskReference {
  readonly taskId: string;
  /** Undefined when the relay sent none; 0 never matches. */
  readonly gen: number | undefined;
  /** The connection that held the task when the message came, and that did not answer a ping. */
  readonly silent?: string | undefined;
}

/** A completed task with the pull request that it named, not verified yet. */
export interface NamedWork {
  readonly taskId: string;
  readonly gen: number;
  readonly contributorId: string;
  /** The canonical key. */
  readonly key: string;
  readonly repo: string;
  readonly number: number;
  readonly assignedAt: number;
  /** The pull request's address in its canonical spelling. */
  readonly prUrl: string;
  readonly completedAt: number;
}

/** A setting's new value, with what is told of the change. */
export interface SettingChange {
  /** Undefined removes the setting. */
  readonly value: unknown;
  /** Absent when the change needs no audit line. */
  readonly audit?: AuditEvent;
  /** The line for the activity feed. */
  readonly activity?: ActivityEvent<never>;
}

/** Everything that changes leases, issues or contributors; sent by a relay, by an admin, or by the hub itself. */
export type Command =
  /** `unasked`: the hub looks for work for a waiting relay. If there is none, the relay gets no second answer. */
  | ({
      readonly kind: "ready";
      readonly unasked?: boolean;
      /** When the relay began to wait for this work (ms). */
      readonly askedAt?: number | undefined;
    } & AskingAgent &
      RelayIdentity)
  | ({ readonly kind: "accepted" } & RelayIdentity & TaskReference)
  | ({
      readonly kind: "progress";
      readonly repo: string | undefined;
      readonly number: number | undefined;
    } & RelayIdentity &
      TaskReference)
  | ({
      readonly kind: "completed";
      readonly prUrl: string | undefined;
      readonly verdict: string | undefined;
      readonly verdictReason: string | undefined;
    } & RelayIdentity &
      TaskReference)
  | ({
      readonly kind: "failed";
      readonly reason: string;
      readonly failureKind: string;
      readonly permanent: boolean;
    } & RelayIdentity &
      TaskReference)
  | ({ readonly kind: "declined"; readonly reason: string } & RelayIdentity & TaskReference)
  /** A line for the activity feed: a relay connected, or stayed away. */
  | {
      readonly kind: "presence";
      readonly contributorId: string;
      readonly action: "joined" | "left";
      readonly detail: string;
    }
  | ({ readonly kind: "dropped" } & RelayIdentity)
  /** A replica is dead, and its connections with it. */
  | { readonly kind: "replica_lost"; readonly replica: string }
  | { readonly kind: "sweep" }
  | {
      readonly kind: "verified";
      readonly taskId: string;
      readonly gen: number;
      readonly contributorId: string;
      readonly key: string;
      readonly prUrl: string;
      /** `owner/name#number` in lower case: a pull request is counted once by this key. */
      readonly pull: string;
      readonly completedAt: number;
      readonly verdict: "verified" | "refused";
      readonly because?: string;
    }
  | {
      readonly kind: "register";
      readonly contributorId: string;
      readonly login: string;
      /** Undefined when no account was proven. */
      readonly accountId: number | undefined;
      readonly tokenDigest: string;
    }
  /** The code host confirms that this account has this login now. */
  | { readonly kind: "proven"; readonly login: string; readonly accountId: number }
  | { readonly kind: "reissue"; readonly contributorId: string; readonly tokenDigest: string }
  | { readonly kind: "trust"; readonly contributorId: string; readonly tier: Tier; readonly actor: string }
  | { readonly kind: "revoke"; readonly contributorId: string; readonly actor: string }
  /** Gives somebody who was revoked access again. */
  | { readonly kind: "unrevoke"; readonly contributorId: string; readonly reason: string; readonly actor: string }
  /** Ends the pause that quick failures in a row brought. */
  | { readonly kind: "end_failure_pause"; readonly contributorId: string; readonly actor: string }
  /** Closes one connection of a contributor. Its task stays reserved for its identity, as after any lost connection. */
  | { readonly kind: "disconnect"; readonly contributorId: string; readonly connection: string; readonly actor: string }
  | {
      readonly kind: "setting";
      readonly name: string;
      readonly actor: string;
      /** The value from which the change was made: refused as `moved` unless it is in force. Absent: whatever is in force. */
      readonly expected?: { readonly value: unknown };
      /** Undefined: nothing is to change. */
      readonly change: SettingChange | undefined;
    }
  /** A line for the audit about something that is kept elsewhere than in this ledger. */
  | { readonly kind: "audit"; readonly actor: string; readonly event: AuditEvent }
  /** Ends the waiting of these issues for these reasons; undefined = any. */
  | {
      readonly kind: "lift";
      readonly keys: readonly string[] | undefined;
      readonly reasons: readonly queue.Liftable[] | undefined;
      readonly actor: string;
      /** The cause, where it is more than the actor's decision. */
      readonly because?: string;
    }
  | {
      readonly kind: "requeue";
      readonly contributorId: string;
      readonly taskId: string | undefined;
      readonly session: string | undefined;
      readonly reason: string | undefined;
      readonly actor: string;
    };

/** A consequence of a command; carried out only after the batch is durable. */
export type Effect =
  | { readonly kind: "assign"; readonly connection: string; readonly lease: Lease }
  | {
      readonly kind: "unavailable";
      readonly connection: string;
      readonly reason: UnavailableReason;
      readonly retryAfterMs?: number;
      readonly note?: string;
    }
  | { readonly kind: "revoke"; readonly connection: string; readonly taskId: string; readonly reason: string }
  | { readonly kind: "ack"; readonly connection: string; readonly taskId: string; readonly gen: number }
  /** The task is accepted and held by this connection: send it a credential. */
  | { readonly kind: "credential_due"; readonly connection: string; readonly lease: Lease; readonly resumed: boolean }
  /** This connection no longer holds the task. */
  | { readonly kind: "released"; readonly connection: string; readonly taskId: string }
  | {
      readonly kind: "failure";
      readonly connection: string;
      readonly lease: Lease;
      readonly reason: string;
      readonly failureKind: string;
      readonly permanent: boolean;
    }
  | ({ readonly kind: "verify" } & NamedWork)
  /** A relay's message could not be written: the relay has to send it again. */
  | { readonly kind: "resend_required"; readonly connection: string }
  /** `only`: close this one connection instead of all. */
  | { readonly kind: "close"; readonly contributorId: string; readonly reason: string; readonly only?: string }
  | { readonly kind: "standing"; readonly contributorId: string; readonly tier: Tier }
  | { readonly kind: "done"; readonly released: readonly string[] }
  | { readonly kind: "refused"; readonly code: "not_found" | "revoked" | "taken" | "moved"; readonly because: string };
