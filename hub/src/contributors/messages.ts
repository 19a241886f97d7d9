import {
  type CommandBatcher,
  changeSetting,
  type Ledger,
  MESSAGE_PREFIX,
  type Message,
  messagesTo,
} from "@nest/dispatch";
import { plainLine } from "@nest/kit";
import type { contributors } from "@nest/protocol";

/** The latest messages to one contributor are kept, and shown for this long. */
const MOST_KEPT = 20;
const SHOWN_MS = 30 * 24 * 60 * 60_000;

export interface MessageDeps {
  readonly ledger: Ledger;
  readonly batcher: CommandBatcher;
  readonly now: () => number;
}

/** Writes to a contributor; their connected relays are told once it is durable (`relays/notices.ts`). */
export async function sendMessage(
  { ledger, batcher, now }: MessageDeps,
  to: { readonly id: string; readonly login: string },
  said: { readonly text: string; readonly taskId?: string | undefined },
  actor: string,
): Promise<Message> {
  let sent: Message | undefined;
  await changeSetting({ ledger, batcher }, { name: MESSAGE_PREFIX + to.id, actor }, (before) => {
    const earlier = (before as readonly Message[] | undefined) ?? [];
    const at = Math.max(now(), (earlier[0]?.at ?? 0) + 1);
    const { taskId } = said;
    sent = { at, by: actor, text: plainLine(said.text), ...(taskId === undefined ? {} : { taskId }) };
    const audit = { action: "message", subject: to.login, before: null, after: sent.text } as const;
    return { value: [sent, ...earlier].slice(0, MOST_KEPT), audit };
  });
  if (sent === undefined) throw new Error("a setting was changed without its change being made");
  return sent;
}

/** The messages that a contributor is shown now. */
export function shownMessages(ledger: Ledger, contributorId: string, now: number): contributors.Message[] {
  return messagesTo(ledger, contributorId)
    .filter(({ at }) => now - at < SHOWN_MS)
    .map(wireMessage);
}

export function wireMessage({ at, by, text, taskId }: Message): contributors.Message {
  return { at: new Date(at).toISOString(), by, text, ...(taskId === undefined ? {} : { task_id: taskId }) };
}
