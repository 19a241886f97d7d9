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
 * @throws UsageError naming the flag that is unknown, twice given, without its value or of the wrong kind; with `usage` below it.
 */
export function parseFlags<const Flags extends Record<string, FlagKind>>(
  args: readonly string[],
  known: Flags,
  usage?: string,
): ParsedFlags<Flags> {
  const wrong = (what: string) => new UsageError(what, usage === undefined ? {} : { usage });
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
      if (arg.startsWith("-") && arg !== "-") throw wrong(`unknown flag ${arg}`);
      words.push(arg);
      continue;
    }
    const [, name = "", inline] = match;
    if (name === "h" || name === "help") {
      help = true;
      continue;
    }
    const kind = Object.hasOwn(known, name) ? known[name] : undefined;
    if (kind === undefined) throw wrong(`unknown flag -${name}`);
    if (Object.hasOwn(flags, name)) throw wrong(`flag -${name} is given twice`);
    const value = inline ?? (kind === "switch" ? "true" : args[++at]);
    const read = flagValue(name, kind, value);
    if (typeof read === "object") throw wrong(read.fault);
    flags[name] = read;
  }
  return { flags: flags as FlagValues<Flags>, words, help };
}

function flagValue(
  name: string,
  kind: FlagKind,
  value: string | undefined,
): boolean | number | string | { readonly fault: string } {
  if (value === undefined) return { fault: `flag -${name} needs a value` };
  if (kind === "text") return value;
  if (kind === "switch") {
    if (value !== "true" && value !== "false") return { fault: `flag -${name} takes true or false, not "${value}"` };
    return value === "true";
  }
  if (!/^-?\d{1,15}$/.test(value)) return { fault: `flag -${name} takes a whole number, not "${value}"` };
  return Number(value);
}
