import type { Contributor } from "./contributor.ts";
import type { Ledger } from "./ledger.ts";

/** Prefix of a setting's name; the contributor's id follows. The setting lists what admins wrote to them. */
export const MESSAGE_PREFIX = "message:";
/** The latest messages to one contributor are kept. */
const MOST_KEPT = 20;

/** What an admin wrote to a contributor: one line of plain text. */
export interface Message {
  /** When (ms); each message to a contributor is later than the one before. */
  readonly at: number;
  readonly by: string;
  readonly text: string;
  /** The task that it is about, if it is about one. */
  readonly taskId?: string | undefined;
}

/** What admins wrote to a contributor, newest first. */
export function messagesTo(ledger: Pick<Ledger, "setting">, contributorId: string): readonly Message[] {
  return (ledger.setting(MESSAGE_PREFIX + contributorId) as readonly Message[] | undefined) ?? [];
}

/** What an admin says to a contributor: one line of plain text. */
export type Said = Pick<Message, "by" | "text" | "taskId">;

/** A contributor's messages with one more, which comes first. Pure. */
export function withMessage(earlier: readonly Message[], said: Said, now: number): readonly [Message, ...Message[]] {
  const { by, text, taskId } = said;
  const at = Math.max(now, (earlier[0]?.at ?? 0) + 1);
  const sent: Message = { at, by, text, ...(taskId === undefined ? {} : { taskId }) };
  return [sent, ...earlier.slice(0, MOST_KEPT - 1)];
}

/** Writes to a contributor within the transaction of what they are told of: neither is there without the other. */
export function writeMessage(ledger: Ledger, to: Pick<Contributor, "id" | "login">, said: Said, now: number): void {
  ledger.putSetting(MESSAGE_PREFIX + to.id, withMessage(messagesTo(ledger, to.id), said, now));
  const { by: actor, text: after } = said;
  ledger.audit({ at: now, actor, action: "message", subject: to.login, before: null, after });
}
