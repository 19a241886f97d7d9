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
  /** `subject`: the issue; `before`: why it waited; `after`: what ended the wait, if anything besides the actor. */
  | Changed<"wait ended", string, string | null>
  | Changed<"agent role", object, object>
  /** `subject`: the new login. */
  | Changed<"renamed" | "login given up", string, string>;

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
  "queue order": { tone: "neutral", words: "changed the order of the queue", label: "Queue order", hidesSubject: true },
  "queue hold": { tone: "neutral", words: "held back", label: "Held back" },
  "queue hold ended": { tone: "neutral", words: "let go of", label: "Let go" },
  "wait ended": { tone: "neutral", words: "offered again", label: "Offered again" },
  requeue: { tone: "neutral", words: "took back the task of", label: "Taken back" },
  disconnected: { tone: "neutral", words: "disconnected a relay of", label: "Disconnected" },
  trust: { tone: "neutral", words: "changed the trust tier of", label: "Trust tier" },
  promoted: { tone: "good", words: "promoted", label: "Promoted" },
  revoked: { tone: "bad", words: "revoked the access of", label: "Access revoked" },
  "agent role": { tone: "neutral", words: "changed the agent role of", label: "Agent role" },
  "token reissued": { tone: "neutral", words: "issued a new registration token for", label: "New token" },
  renamed: { tone: "neutral", words: "reported a new login, now", label: "Renamed" },
  "login given up": {
    tone: "neutral",
    words: "gave a login to somebody else, whose record is now",
    label: "Login lost",
  },
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
