/** Fields beside a message; names that stand for secrets print as `[secret]`. */
export type Fields = Readonly<Record<string, unknown>>;

/** The relay's log: one JSON object a line, in the shape of the servers' logs. */
export interface LogLines {
  info(fields: Fields, message: string): void;
  warn(fields: Fields, message: string): void;
  error(fields: Fields, message: string): void;
}

const LEVELS = { info: 30, warn: 40, error: 50 } as const;
/** A hub may say 64 KiB at a time; nobody reads that in a log. */
const LONGEST_FIELD = 500;
/** What JSON leaves as it is and a terminal obeys, or shows as something else: further controls, and marks of direction. */
const NOT_SHOWN = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const SECRET_FIELD = /^(?:.*_?token|authorization|cookie|secret|password|.*key)$/i;

export interface LogLinesDeps {
  readonly write: (line: string) => void;
  /** Takes secrets out of a text. Every text is cleaned before it becomes JSON: what it strikes out cannot break the line. */
  readonly clean?: (text: string) => string;
  readonly now?: () => number;
}

/**
 * A log of a few lines of its own: the servers' logger would hold a tenth of what a relay at rest may take. Fields that cannot be
 * written as JSON are left out, never a reason to fail.
 */
export function logLines(program: string, { write, clean = (text) => text, now = Date.now }: LogLinesDeps): LogLines {
  const line = (level: keyof typeof LEVELS) => (fields: Fields, message: string) => {
    const head = { level: LEVELS[level], time: new Date(now()).toISOString(), program };
    const said = { msg: clean(message) };
    write(`${textOf({ ...head, ...cleanFields(fields, clean), ...said }) ?? textOf({ ...head, ...said })}\n`);
  };
  return { info: line("info"), warn: line("warn"), error: line("error") };
}

function cleanFields(fields: Fields, clean: (text: string) => string): Fields {
  const entries = Object.entries(fields).map(([name, value]) => {
    if (typeof value !== "string") return [name, value];
    return [name, clean(value).slice(0, LONGEST_FIELD)];
  });
  return Object.fromEntries(entries);
}

function textOf(entry: Fields): string | undefined {
  try {
    const text = JSON.stringify(entry, (name, value) => (SECRET_FIELD.test(name) && value ? "[secret]" : value));
    return text.replace(NOT_SHOWN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  } catch {
    return undefined;
  }
}
