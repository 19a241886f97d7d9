import type { Tone } from "./activity.ts";
import type { Tier } from "./tiers.ts";

/**
 * Every event of the audit, as the code that reports it states it. `action` is the name on the wire and never changes; `subject`
 * is the person or thing that was changed; `before` and `after` are its values. A secret is written as `[secret]`.
 */
export type AuditEvent =
  | Changed<"token reissued", "[secret]", "[secret]">
  | Changed<"trust" | "promoted" | "revoked", Tier, Tier>
  /** `subject`: login and issue; `before`: the task, `after`: the reason. */
  | Changed<"requeue", string, string>
  /** `subject`: login and connection. */
  | {
      readonly action: "disconnected";
      readonly subject: string;
      readonly before?: undefined;
      readonly after?: undefined;
    }
  | (Changed<"queue configuration", object, object> & { readonly subject: "contribute" })
  | (Changed<"queue order", unknown, readonly string[]> & { readonly subject: "queue" })
  /** `subject`: the issue; the values are the operator's reasons. */
  | Changed<"queue hold" | "queue hold ended", string | null, string | null>
  /** `after`: the reason. */
  | Changed<"access restored", Tier, string>
  /** `before`: until when it would have held. */
  | Changed<"failure pause ended", string, null>
  /** `subject`: the login; `after`: the message. */
  | Changed<"message", null, string>
  /** `subject`: the scope; the values are end and note. */
  | Changed<"paused" | "pause ended", string | null, string | null>
  /** `subject`: the issue; `before`: why it waited; `after`: what ended the wait, if anything besides the actor. */
  | Changed<"wait ended", string, string | null>
  | Changed<"agent role", object, object>
  /** `subject`: the new login. */
  | Changed<"renamed" | "login given up", string, string>
  /** `subject`: the nest; the values are what the action changes, as a status, an image, a cluster, a name. */
  | Changed<
      | "nest created"
      | "nest claimed"
      | "nest upgraded"
      | "nest paused"
      | "nest resumed"
      | "nest repaired"
      | "nest moved"
      | "nest deleted"
      | "nest renamed"
      | "nest visibility"
      | "nest auto-upgrade",
      unknown,
      unknown
    >
  /** `subject`: the nest; the values say who had and has which role. */
  | Changed<"nest access", string | null, string | null>
  /** `subject`: the login. */
  | Changed<"user", object, object>
  /** `subject`: the cluster. */
  | Changed<"cluster", object | null, object | null>
  /** `subject`: the archive; the values are when it was made and when it was restored. */
  | Changed<"hub restored", string, string>
  /** `subject`: `nests`. */
  | Changed<"nest upgrades", string, string>
  /** `subject`: the token's name; the values are its scope, its end and how it begins. */
  | Changed<"api token made", null, object>
  | Changed<"api token revoked", object, null>
  /** `subject`: the channel's name; a secret is written as `[secret]`. */
  | Changed<"alert channel", object | null, object | null>
  | Changed<"alert secret", null, "[secret]" | null>;

interface Changed<Action, Before, After> {
  readonly action: Action;
  readonly subject: string;
  readonly before: Before;
  readonly after: After;
}

export type AuditAction = AuditEvent["action"];

/** An audit line as people read it: the actor, then `words`, then the subject. */
export interface AuditSentence {
  readonly tone: Tone;
  readonly words: string;
  /** False when the words name the subject already. */
  readonly namesSubject: boolean;
}

interface Wording {
  readonly tone: Tone;
  readonly words: string;
  /** The kind of change in a word or two, to choose it from a list. */
  readonly label: string;
  readonly hidesSubject?: true;
}

const wordings: Readonly<Record<AuditAction, Wording>> = {
  "queue configuration": {
    tone: "neutral",
    words: "changed the queue settings",
    label: "Queue settings",
    hidesSubject: true,
  },
  "queue order": {
    tone: "neutral",
    words: "changed which issues are pinned",
    label: "Pinned issues",
    hidesSubject: true,
  },
  "queue hold": { tone: "neutral", words: "held back", label: "Held back" },
  "queue hold ended": { tone: "neutral", words: "let go of", label: "Let go" },
  paused: { tone: "neutral", words: "paused", label: "Paused" },
  "pause ended": { tone: "neutral", words: "ended the pause of", label: "Pause ended" },
  "wait ended": { tone: "neutral", words: "offered again", label: "Offered again" },
  requeue: { tone: "neutral", words: "took back the task of", label: "Taken back" },
  disconnected: { tone: "neutral", words: "disconnected a relay of", label: "Disconnected" },
  trust: { tone: "neutral", words: "changed the trust tier of", label: "Trust tier" },
  promoted: { tone: "good", words: "promoted", label: "Promoted" },
  revoked: { tone: "bad", words: "revoked the access of", label: "Access revoked" },
  "access restored": { tone: "good", words: "gave access again to", label: "Access restored" },
  "failure pause ended": {
    tone: "neutral",
    words: "ended the pause after failures of",
    label: "Pause after failures ended",
  },
  message: { tone: "neutral", words: "wrote to", label: "Message" },
  "agent role": { tone: "neutral", words: "changed the agent role of", label: "Agent role" },
  "token reissued": { tone: "neutral", words: "issued a new registration token for", label: "New token" },
  "hub restored": { tone: "neutral", words: "restored the hub from", label: "Hub restored" },
  renamed: { tone: "neutral", words: "reported a new login, now", label: "Renamed" },
  "login given up": {
    tone: "neutral",
    words: "gave a login to somebody else, whose record is now",
    label: "Login lost",
  },
  "nest created": { tone: "good", words: "created the nest", label: "Nest created" },
  "nest claimed": { tone: "good", words: "gave to its owner the nest", label: "Nest claimed" },
  "nest upgraded": { tone: "neutral", words: "upgraded the nest", label: "Nest upgraded" },
  "nest paused": { tone: "neutral", words: "paused the nest", label: "Nest paused" },
  "nest resumed": { tone: "neutral", words: "resumed the nest", label: "Nest resumed" },
  "nest repaired": { tone: "neutral", words: "had the steps repeated of the nest", label: "Nest repaired" },
  "nest moved": { tone: "neutral", words: "moved to another cluster the nest", label: "Nest moved" },
  "nest deleted": { tone: "bad", words: "deleted the nest", label: "Nest deleted" },
  "nest renamed": { tone: "neutral", words: "renamed the nest", label: "Nest renamed" },
  "nest visibility": { tone: "neutral", words: "changed who sees the nest", label: "Nest visibility" },
  "nest auto-upgrade": {
    tone: "neutral",
    words: "changed whether it upgrades by itself, of the nest",
    label: "Nest auto-upgrade",
  },
  "nest access": { tone: "neutral", words: "changed a role on the nest", label: "Nest access" },
  user: { tone: "neutral", words: "changed quota or block of", label: "User" },
  cluster: { tone: "neutral", words: "changed the cluster", label: "Cluster" },
  "nest upgrades": {
    tone: "neutral",
    words: "changed whether nests upgrade by themselves",
    label: "Upgrades of nests",
    hidesSubject: true,
  },
  "api token made": { tone: "neutral", words: "made the API token", label: "API token made" },
  "api token revoked": { tone: "neutral", words: "revoked the API token", label: "API token revoked" },
  "alert channel": { tone: "neutral", words: "changed the alert channel", label: "Alert channel" },
  "alert secret": { tone: "neutral", words: "changed the secret of the alert channel", label: "Alert secret" },
};

/** Every action of this release with its label, in the order in which people choose from them. */
export const auditActions: readonly { readonly action: AuditAction; readonly label: string }[] = Object.entries(
  wordings,
).map(([action, { label }]) => ({ action: action as AuditAction, label }));

/** An audit line in plain words. An action of a newer hub is neutral and reads as it came. */
export function describeAudit(action: string): AuditSentence {
  if (!Object.hasOwn(wordings, action)) return { tone: "neutral", words: action, namesSubject: true };
  const { tone, words, hidesSubject } = wordings[action as AuditAction];
  return { tone, words, namesSubject: hidesSubject !== true };
}
