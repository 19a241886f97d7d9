import { type DestinationStream, type Logger, pino } from "pino";

export type Log = Logger;

/** Field names whose values never reach a log line, at any of the depths that our lines use. */
const SECRET_FIELDS = [
  "token",
  "registration_token",
  "github_token",
  "authorization",
  "cookie",
  "secret",
  "password",
  "privateKey",
  "encryptionKey",
];

export interface LogOptions {
  readonly program: string;
  readonly level?: string;
  /** Where lines go; standard error unless a test wants to read them. */
  readonly to?: DestinationStream;
  /** Plain lines for a person at a terminal instead of JSON; by default when standard error is a terminal. */
  readonly plain?: boolean;
}

/** A logger to standard error: JSON lines, or short plain lines at a terminal. Known secret fields print as `[secret]`. */
export function createLog(options: LogOptions): Log {
  const plain = options.plain ?? (options.to === undefined && process.stderr.isTTY === true);
  const destination = options.to ?? (plain ? plainLines(options.program) : pino.destination({ dest: 2, sync: true }));
  return pino(
    {
      base: { program: options.program },
      level: options.level ?? "info",
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: "[secret]" },
    },
    destination,
  );
}

/** A logger that says nothing. */
export function silentLog(): Log {
  return pino({ level: "silent" });
}

const LEVELS: Record<number, string> = { 30: "", 40: "warning: ", 50: "error: ", 60: "fatal: " };
const HIDDEN = new Set(["level", "time", "program", "msg", "pid", "hostname"]);

function plainLines(program: string): DestinationStream {
  return {
    write(line: string) {
      const entry = JSON.parse(line) as Record<string, unknown>;
      const fields = Object.entries(entry)
        .filter(([name]) => !HIDDEN.has(name))
        .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
      const clock = String(entry.time).slice(11, 19);
      process.stderr.write(
        `${clock} ${program}: ${LEVELS[Number(entry.level)] ?? ""}${[entry.msg, ...fields].join(" ")}\n`,
      );
    },
  };
}
