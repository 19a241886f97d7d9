import type { FlagKind, FlagValues } from "@nest/kit";
import type { Ledger } from "../ledger.ts";

/** What a verb works with. */
export interface VerbCall<Flags extends Record<string, FlagKind>> {
  readonly ledger: Ledger;
  readonly flags: FlagValues<Flags>;
  readonly words: readonly string[];
  /** Everything on standard input. */
  readonly input: () => Promise<string>;
}

/** What a verb answers: the value that `-json` prints, and the lines for a person. */
export interface VerbAnswer {
  readonly json: unknown;
  readonly lines: Iterable<string>;
}

/** One verb of `nest beads`. */
export interface Verb<Flags extends Record<string, FlagKind> = Record<string, FlagKind>> {
  readonly summary: string;
  /** Below `usage: nest beads <verb> `. */
  readonly usage: string;
  readonly flags: Flags;
  /** It only reads: no ledger is begun for it. */
  readonly reads?: boolean;
  readonly run: (call: VerbCall<Flags>) => Promise<VerbAnswer>;
}

/** Keeps a verb's exact flags for its own code, and forgets them for the table. */
export function verb<const Flags extends Record<string, FlagKind>>(value: Verb<Flags>): Verb {
  return value as unknown as Verb;
}
