import type { Ledger } from "../leases/ledger.ts";

/** Prefix of a setting's name; the contributor's id follows. The setting lists what admins wrote to them. */
export const MESSAGE_PREFIX = "message:";

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
