/** Tells the hub's other replicas what they should know at once. Nothing durable goes this way: whoever missed it, asks the database. */
export interface Bus {
  /** This replica's id: eight hexadecimal digits. */
  readonly replica: string;
  /** Tells every other replica; resolves when it is sent. Where there is no other, nobody is told. */
  tell(topic: string, body: unknown): Promise<void>;
  /** Calls `act` with what another replica tells. */
  on(topic: string, act: (body: unknown, from: string) => void): void;
  /** Asks every other replica and resolves with the answers that came within `withinMs`, or as soon as `enough` came. */
  ask(topic: string, body: unknown, wanted: { readonly withinMs: number; readonly enough: number }): Promise<unknown[]>;
  /** Answers what other replicas ask; undefined = no answer from here. */
  answer(topic: string, act: (body: unknown) => Promise<unknown>): void;
  /** Calls `act` when messages may have been missed. */
  onGap(act: () => void): void;
  /** How many other replicas are alive. */
  readonly others: number;
  close(): Promise<void>;
}

/** The bus of a hub that is alone. */
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
