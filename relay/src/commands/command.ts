import type { Environment } from "@nest/kit";

/** Where a command says things: results on `out`, everything else on `error`. */
export interface CommandOut {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** What a contribute-* command runs with. Everything that reaches outside is passed in. */
export interface CommandDeps {
  readonly environment: Environment;
  readonly out: CommandOut;
  readonly error: CommandOut;
  readonly fetch: typeof fetch;
  /** Asks the person at the terminal; undefined where nobody sits there. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined;
  /** Runs a program with an argument array and the caller's terminal, or `input` in place of what is typed; answers with its exit code. */
  readonly run: (
    file: string,
    args: readonly string[],
    environment: Environment,
    input?: string | undefined,
  ) => Promise<number>;
  /** What a program prints, or undefined when it fails or is not there. */
  readonly read: (file: string, args: readonly string[]) => Promise<string | undefined>;
  /** Runs a program without a terminal, for as long as it may take at most; undefined when it did not end by then. */
  readonly attempt: (
    file: string,
    args: readonly string[],
    given: { readonly environment: Environment; readonly folder: string; readonly timeoutMs: number },
  ) => Promise<{ readonly code: number; readonly output: string } | undefined>;
  readonly now: () => number;
}

/** A contribute-* command: resolves with its exit code (0 done, 1 a gap or a refusal, 2 wrong usage). */
export type Command = (args: readonly string[], deps: CommandDeps) => Promise<number>;
