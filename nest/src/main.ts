import { type Environment, errorLines, exitCodeOf, systemClock } from "@nest/kit";
import { saveCompiledCode } from "./compiled-code.ts";

interface Program {
  readonly summary: string;
  /** Loads the program on demand: a relay must not load a server. The program returns an exit code if it ends by itself. */
  readonly load: () => Promise<(args: readonly string[], environment: Environment) => Promise<unknown>>;
}

const programs: Readonly<Record<string, Program>> = {
  up: {
    summary: "everything on one machine: hub, one spoke, one relay",
    load: async () => (await import("./up/up.ts")).runUp,
  },
  hub: { summary: "the hub: queue, leases, fleet", load: async () => (await import("@nest/hub")).runHub },
  spoke: { summary: "one team's nest", load: async () => (await import("@nest/spoke")).runSpoke },
  relay: {
    summary: "lends this machine's agent CLI to a hub's issues",
    load: async () => {
      const { runRelay, takeSecrets } = await import("@nest/relay");
      return (args, environment) => runRelay(args, takeSecrets(environment));
    },
  },
  hubctl: {
    summary: "operates a hub from a terminal: queue, relays, tasks, pause, settings, audit",
    load: async () => (await import("./hubctl/hubctl.ts")).runHubctl,
  },
  instance: {
    summary: "hosted nests by hand: render, apply, verify, claim, delete",
    load: async () => (await import("./instance/instance.ts")).runInstance,
  },
  beads: {
    summary: "an agent's work ledger: what is to do, what waits for what",
    load: async () => (await import("@nest/governor/beads")).runBeads,
  },
};

const USAGE = `usage: nest <program> [flags]

${Object.entries(programs)
  .map(([name, { summary }]) => `  nest ${name.padEnd(8)} ${summary}`)
  .join("\n")}

nest <program> -h tells more.
`;

async function main([name = "", ...args]: readonly string[]): Promise<void> {
  if (/^--?h(elp)?$/.test(name)) {
    process.stdout.write(USAGE);
    return;
  }
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  if (program === undefined) {
    process.stderr.write(name === "" ? USAGE : `nest: error: unknown program ${name}\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  try {
    const run = await program.load();
    saveCompiledCode(name, systemClock());
    const code = await run(args, process.env);
    if (typeof code === "number") process.exit(code);
  } catch (thrown) {
    for (const line of errorLines(`nest ${name}`, thrown)) process.stderr.write(`${line}\n`);
    process.exit(exitCodeOf(thrown));
  }
}

// A program that was started by another one (`nest up`) ends with it, however that one ended.
if (process.env.NEST_ENDS_WITH_STDIN === "1") {
  process.stdin.resume();
  process.stdin.on("end", () => process.kill(process.pid, "SIGTERM"));
  process.stdin.unref?.();
}

await main(process.argv.slice(2));
