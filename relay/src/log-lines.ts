/** Fields beside a message; names that stand for secrets print as `[secret]`. */
export type Fields = Readonly<Record<string, unknown>>;

/** The relay's log: one JSON object a line, in the shape of the servers' logs. */
export interface LogLines {
  info(fields: Fields, message: string): void;
  warn(fields: Fields, message: string): void;
  error(fields: Fields, message: string): void;
}

const LEVELS = { info: 30, warn: 40, error: 50 } as const;
const SECRET_FIELD = /^(?:.*_?token|authorization|cookie|secret|password|.*key)$/i;

/**
 * A log of a few lines of its own: the servers' logger would hold a tenth of what a relay at rest may take. Fields that cannot be
 * written as JSON are left out, never a reason to fail.
 */
export function logLines(program: string, write: (line: string) => void, now: () => number = Date.now): LogLines {
  const line = (level: keyof typeof LEVELS) => (fields: Fields, message: string) => {
    const head = { level: LEVELS[level], time: new Date(now()).toISOString(), program };
    write(`${textOf({ ...head, ...fields, msg: message }) ?? textOf({ ...head, msg: message })}\n`);
  };
  return { info: line("info"), warn: line("warn"), error: line("error") };
}

function textOf(entry: Fields): string | undefined {
  try {
    return JSON.stringify(entry, (name, value) => (SECRET_FIELD.test(name) && value ? "[secret]" : value));
  } catch {
    return undefined;
  }
}
