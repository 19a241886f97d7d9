import { errorLines, type FlagKind, type FlagValues, parseFlags, UsageError } from "@nest/kit";
import { EXIT, type ExitCode, exitCodeFor } from "./commands/exit-codes.ts";
import { systemFault } from "./commands/system-faults.ts";
import { USAGE } from "./commands/usage.ts";
import type { BackupDeps } from "./deps/deps.ts";

interface Command {
  readonly flags: Record<string, FlagKind>;
  act(deps: BackupDeps, flags: FlagValues<Record<string, FlagKind>>): Promise<ExitCode>;
}

/** Pairs a command's flags with its function, which is loaded when the command is used. */
function command<const Flags extends Record<string, FlagKind>>(
  flags: Flags,
  load: () => Promise<(deps: BackupDeps, values: FlagValues<Flags>) => Promise<ExitCode>>,
): Command {
  return { flags, act: async (deps, values) => (await load())(deps, values as FlagValues<Flags>) };
}

const commands: Readonly<Record<string, Command>> = {
  run: command(
    {
      local: "text",
      "skip-spokes": "switch",
      "skip-secrets": "switch",
      "no-prune": "switch",
      "gaps-ok": "switch",
      "less-ok": "switch",
      codec: "text",
      json: "switch",
    },
    async () => (await import("./commands/run.ts")).run,
  ),
  verify: command(
    { file: "text", name: "text", json: "switch" },
    async () => (await import("./commands/verify.ts")).verify,
  ),
  list: command({ json: "switch" }, async () => (await import("./commands/list.ts")).list),
  extract: command(
    { file: "text", name: "text", dest: "text", path: "text", force: "switch", json: "switch" },
    async () => (await import("./commands/extract.ts")).extract,
  ),
  restore: command(
    { file: "text", name: "text", dest: "text", spoke: "text", "dry-run": "switch", force: "switch", json: "switch" },
    async () => (await import("./commands/restore.ts")).restore,
  ),
  prune: command({ "dry-run": "switch", json: "switch" }, async () => (await import("./commands/prune.ts")).prune),
  status: command(
    { verify: "switch", "max-age-hours": "number", json: "switch" },
    async () => (await import("./commands/status.ts")).status,
  ),
  keygen: command({}, async () => (await import("./commands/keygen.ts")).keygen),
};

/** What a command wrote to standard output and standard error. */
export interface Said {
  out(text: string): void;
  err(text: string): void;
}

/** Runs one `nest-backup` command line and returns its exit code; it never throws. */
export async function runCommand(
  [verb = "", ...args]: readonly string[],
  deps: BackupDeps,
  said: Said,
): Promise<ExitCode> {
  if (/^--?h(elp)?$/.test(verb)) {
    said.out(USAGE);
    return EXIT.ok;
  }
  const chosen = Object.hasOwn(commands, verb) ? commands[verb] : undefined;
  if (chosen === undefined) {
    said.err(verb === "" ? USAGE : `nest-backup: error: unknown command ${verb}\n\n${USAGE}`);
    return EXIT.usage;
  }
  try {
    const { flags, words, help } = parseFlags(args, chosen.flags, USAGE);
    if (help) {
      said.out(USAGE);
      return EXIT.ok;
    }
    if (words.length > 0) throw new UsageError(`unexpected argument ${words[0]}`, { usage: USAGE });
    return await chosen.act(deps, flags);
  } catch (failed) {
    const thrown = systemFault(failed);
    for (const line of errorLines("nest-backup", thrown)) said.err(`${line}\n`);
    return exitCodeFor(thrown);
  }
}
