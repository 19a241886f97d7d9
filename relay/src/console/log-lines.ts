/** Fields beside a message; names that stand for secrets print as `[secret]`. */
export type Fields = Readonly<Record<string, unknown>>;

/** The relay's log: one JSON object a line, in the shape of the servers' logs. */
export interface LogLines {
  info(fields: Fields, message: string): void;
  warn(fields: Fields, message: string): void;
  error(fields: Fields, message: string): void;
}

const LEVELS = { info: 30, warn: 40, error: 50 } as const;
/** A hub may send 64 KiB at a time, and nobody reads that in a log. */
const LONGEST_FIELD = 500;
/** Characters that JSON does not escape, but that a terminal obeys or hides: further controls, and direction marks. */
const NOT_SHOWN = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const SECRET_FIELD = /^(?:.*_?token|authorization|cookie|secret|password|.*key)$/i;

export interface LogLinesDeps {
  readonly write: (line: string) => void;
  /** Removes secrets from a text. Texts are cleaned before they become JSON, so that this cannot break a line. */
  readonly clean?: (text: string) => string;
  readonly now?: () => number;
}

/**
 * A small logger: the servers' logger would take a tenth of the memory that an idle relay may use. Fields that cannot be
 * written as JSON are left out; they never make a call fail.
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
