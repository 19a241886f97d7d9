import {
  type CommandBatcher,
  changeSetting,
  type Ledger,
  MESSAGE_PREFIX,
  type Message,
  messagesTo,
  withMessage,
} from "@nest/dispatch";
import { plainLine } from "@nest/kit";
import type { contributors } from "@nest/protocol";

/** Messages are shown for this long. */
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
    const all = withMessage(earlier, { by: actor, text: plainLine(said.text), taskId: said.taskId }, now());
    [sent] = all;
    const audit = { action: "message", subject: to.login, before: null, after: all[0].text } as const;
    return { value: all, audit };
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
