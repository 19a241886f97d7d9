/**
 * Sends short-lived messages between the replicas of a hub. Durable facts are in the database: a replica that missed a
 * message reads them there.
 */
export interface Bus {
  /** This replica's id: eight hexadecimal digits. */
  readonly replica: string;
  /** Sends a message to every other replica; resolves when it is sent. Does nothing when there is no other replica. */
  tell(topic: string, body: unknown): Promise<void>;
  /** Calls `act` with each message of another replica. */
  on(topic: string, act: (body: unknown, from: string) => void): void;
  /** Asks every other replica. Resolves with the answers that arrived within `withinMs`, or as soon as `enough` arrived. */
  ask(topic: string, body: unknown, wanted: { readonly withinMs: number; readonly enough: number }): Promise<unknown[]>;
  /** Answers questions of other replicas; undefined = this replica gives no answer. */
  answer(topic: string, act: (body: unknown) => Promise<unknown>): void;
  /** Calls `act` when messages may have been missed. */
  onGap(act: () => void): void;
  /** The number of other live replicas. */
  readonly others: number;
  close(): Promise<void>;
}

/** The bus of a hub that has only one replica. */
export function noBus(replica: string): Bus {
  return {
    replica,
    others: 0,
    tell: () => Promise.resolve(),
    on: () => {},
    ask: () => Promise.resolve([]),
    answer: () => {},
    onGap: () => {},
    close: () => Promise.resolve(),
  };
}
