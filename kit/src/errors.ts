export interface NestErrorDetails {
  /** What the person should do next; one sentence, no full stop. */
  readonly hint?: string;
  readonly cause?: unknown;
  /** More of the same kind, one line each (faults of a configuration). */
  readonly faults?: readonly string[];
  /** How the program is called: printed below the error when it was called wrongly. */
  readonly usage?: string;
}

/**
 * A failure that was foreseen: a stable code for programs, a sentence for people and, where there is one, the next step.
 * Neither may hold a secret. Anything thrown that is not a NestError is a bug.
 */
export class NestError<Code extends string = string> extends Error {
  override readonly name = "NestError";
  readonly code: Code;
  readonly hint: string | undefined;
  readonly faults: readonly string[];
  readonly usage: string | undefined;

  constructor(code: Code, sentence: string, details: NestErrorDetails = {}) {
    super(sentence, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
    this.faults = details.faults ?? [];
    this.usage = details.usage;
  }
}

/** The program was called or configured wrongly: printed one line per fault, exit 2. */
export class UsageError extends NestError<"bad_configuration"> {
  constructor(sentence: string, details: NestErrorDetails = {}) {
    super("bad_configuration", sentence, details);
  }
}

/** A sentence for a log or a person out of anything that was thrown. */
export function sentenceOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The lines a command prints for a failure: `nest hub: error: …`, then `nest hub: hint: …`, then how it is called. */
export function errorLines(program: string, thrown: unknown): string[] {
  if (thrown instanceof NestError) {
    const faults = thrown.faults.length > 0 ? thrown.faults : [thrown.message];
    const lines = faults.map((fault) => `${program}: error: ${fault}`);
    const hint = thrown.hint === undefined ? [] : [`${program}: hint: ${thrown.hint}`];
    const usage = thrown.usage === undefined ? [] : ["", ...thrown.usage.trimEnd().split("\n")];
    return [...lines, ...hint, ...usage];
  }
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return [`${program}: error: internal error (a bug): ${stack}`];
}

/** The exit code that goes with a failure: 2 for bad configuration or usage, else 1. */
export function exitCodeOf(thrown: unknown): 1 | 2 {
  return thrown instanceof UsageError ? 2 : 1;
}
