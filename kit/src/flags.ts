import { UsageError } from "./errors.ts";

/** What one flag takes: nothing (`switch`), a text, or a whole number. */
export type FlagKind = "switch" | "text" | "number";

export type FlagValues<Flags extends Record<string, FlagKind>> = {
  readonly [Name in keyof Flags]?: Flags[Name] extends "switch"
    ? boolean
    : Flags[Name] extends "number"
      ? number
      : string;
};

export interface ParsedFlags<Flags extends Record<string, FlagKind>> {
  readonly flags: FlagValues<Flags>;
  readonly words: readonly string[];
  readonly help: boolean;
}

/**
 * Reads a command's arguments. A flag takes one dash or two, its value after a space or `=`; a switch alone means true, and
 * takes only `=true` or `=false`. `--` ends the flags; `-h` asks for help.
 *
 * @throws UsageError naming the flag that is unknown, twice given, without its value or of the wrong kind.
 */
export function parseFlags<const Flags extends Record<string, FlagKind>>(
  args: readonly string[],
  known: Flags,
): ParsedFlags<Flags> {
  const flags: Record<string, boolean | number | string> = {};
  const words: string[] = [];
  let help = false;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      words.push(...args.slice(at + 1));
      break;
    }
    const match = /^--?([A-Za-z][A-Za-z0-9-]*)(?:=(.*))?$/s.exec(arg);
    if (match === null) {
      if (arg.startsWith("-") && arg !== "-") throw new UsageError(`unknown flag ${arg}`);
      words.push(arg);
      continue;
    }
    const [, name = "", inline] = match;
    if (name === "h" || name === "help") {
      help = true;
      continue;
    }
    const kind = Object.hasOwn(known, name) ? known[name] : undefined;
    if (kind === undefined) throw new UsageError(`unknown flag -${name}`);
    if (Object.hasOwn(flags, name)) throw new UsageError(`flag -${name} is given twice`);
    const value = inline ?? (kind === "switch" ? "true" : args[++at]);
    flags[name] = flagValue(name, kind, value);
  }
  return { flags: flags as FlagValues<Flags>, words, help };
}

function flagValue(name: string, kind: FlagKind, value: string | undefined): boolean | number | string {
  if (value === undefined) throw new UsageError(`flag -${name} needs a value`);
  if (kind === "text") return value;
  if (kind === "switch") {
    if (value !== "true" && value !== "false")
      throw new UsageError(`flag -${name} takes true or false, not "${value}"`);
    return value === "true";
  }
  if (!/^-?\d{1,15}$/.test(value)) throw new UsageError(`flag -${name} takes a whole number, not "${value}"`);
  return Number(value);
}
