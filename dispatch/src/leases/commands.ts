import type { ActivityEvent, AuditEvent, queue, Tier, UnavailableReason } from "@nest/protocol";
import type { Lease } from "./lease.ts";

/** Who speaks: one authenticated socket. */
export interface RelayIdentity {
  /** The socket's id, never used again. */
  readonly connection: string;
  readonly contributorId: string;
  /** Which of the contributor's machines: see {@link Lease.identity}. */
  readonly identity: string;
}

/** What a relay says of a task. */
export interface TaskReference {
  readonly taskId: string;
  /** Undefined when the relay did not send one; 0 is a wrong one. */
  readonly gen: number | undefined;
  /** The socket that had the task when this was said, and did not answer when it was asked whether it lives. */
  readonly silent?: string | undefined;
}

/** A completed task and the pull request that it named, which nobody has looked at yet. */
export interface NamedWork {
  readonly taskId: string;
  readonly gen: number;
  readonly contributorId: string;
  /** The canonical key. */
  readonly key: string;
  readonly repo: string;
  readonly number: number;
  readonly assignedAt: number;
  /** The pull request's address in its one spelling. */
  readonly prUrl: string;
  readonly completedAt: number;
}

/** What a change of a setting comes to; decided inside the transaction, on the value that is in force. */
export type SettingChange =
  | {
      readonly kind: "set";
      /** Undefined removes the setting. */
      readonly value: unknown;
      /** Absent: nothing worth an audit line. */
      readonly audit?: AuditEvent;
      /** What the activity feed says of it. */
      readonly activity?: ActivityEvent<never>;
    }
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused"; readonly because: string };

/** Everything that moves leases, issues or contributors: from a relay, from an admin, from the hub itself. */
export type Command =
  /** `unasked`: the hub looks for work for a relay that waits; finding none is not told again. */
  | ({ readonly kind: "ready"; readonly unasked?: boolean } & RelayIdentity)
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
  /** A line for the feed: a relay came, or has stayed away. */
  | {
      readonly kind: "presence";
      readonly contributorId: string;
      readonly action: "joined" | "left";
      readonly detail: string;
    }
  | ({ readonly kind: "dropped" } & RelayIdentity)
  /** A replica of the hub is gone, and every socket with it. */
  | { readonly kind: "replica_lost"; readonly replica: string }
  | { readonly kind: "sweep" }
  | {
      readonly kind: "verified";
      readonly taskId: string;
      readonly gen: number;
      readonly contributorId: string;
      readonly key: string;
      readonly prUrl: string;
      /** The same as `owner/name#number` in lower case: it counts once by this. */
      readonly pull: string;
      readonly completedAt: number;
      readonly verdict: "verified" | "refused";
      readonly because?: string;
    }
  | {
      readonly kind: "register";
      readonly contributorId: string;
      readonly login: string;
      /** Undefined where nothing was proven. */
      readonly accountId: number | undefined;
      readonly tokenDigest: string;
    }
  /** The code host says that this account has this login now. */
  | { readonly kind: "proven"; readonly login: string; readonly accountId: number }
  | { readonly kind: "reissue"; readonly contributorId: string; readonly tokenDigest: string }
  | { readonly kind: "trust"; readonly contributorId: string; readonly tier: Tier; readonly actor: string }
  | { readonly kind: "revoke"; readonly contributorId: string; readonly actor: string }
  /** One socket of a contributor's is cut; what it holds is kept for its identity, as after any drop. */
  | { readonly kind: "disconnect"; readonly contributorId: string; readonly connection: string; readonly actor: string }
  | {
      readonly kind: "setting";
      readonly name: string;
      readonly actor: string;
      readonly change: (before: unknown) => SettingChange;
    }
  /** Issues wait no longer: these, of these reasons; undefined = any. */
  | {
      readonly kind: "lift";
      readonly keys: readonly string[] | undefined;
      readonly reasons: readonly queue.Liftable[] | undefined;
      readonly actor: string;
      /** What made it happen, where that is not the actor alone. */
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

/** What follows from a command; carried out only after the batch is on disk. */
export type Effect =
  | { readonly kind: "assign"; readonly connection: string; readonly lease: Lease }
  | {
      readonly kind: "unavailable";
      readonly connection: string;
      readonly reason: UnavailableReason;
      readonly retryAfterMs?: number;
    }
  | { readonly kind: "revoke"; readonly connection: string; readonly taskId: string; readonly reason: string }
  | { readonly kind: "ack"; readonly connection: string; readonly taskId: string; readonly gen: number }
  /** The task now is this socket's and accepted: it gets its credential. */
  | { readonly kind: "credential_due"; readonly connection: string; readonly lease: Lease; readonly resumed: boolean }
  /** The task is no longer this socket's. */
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
  /** What a relay said could not be written: it has to say it again. */
  | { readonly kind: "resend_required"; readonly connection: string }
  /** `only`: this one socket of theirs instead of all. */
  | { readonly kind: "close"; readonly contributorId: string; readonly reason: string; readonly only?: string }
  | { readonly kind: "standing"; readonly contributorId: string; readonly tier: Tier }
  | { readonly kind: "done"; readonly released: readonly string[] }
  | { readonly kind: "refused"; readonly code: "not_found" | "revoked" | "taken"; readonly because: string };
