import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline/promises";
import { errorLines, exitCodeOf } from "@nest/kit";
import { takeSecrets } from "../secrets/start-secrets.ts";
import { attempt } from "./attempt.ts";
import { contributeCheck } from "./check.ts";
import type { Command, CommandDeps } from "./command.ts";
import { contributeHive } from "./hive.ts";
import { contributeK8s } from "./k8s.ts";
import { contributeSetup } from "./setup.ts";

const commands: Readonly<Record<string, Command>> = {
  "contribute-setup": contributeSetup,
  "contribute-check": contributeCheck,
  "contribute-hive": contributeHive,
  "contribute-nest": contributeHive,
  "contribute-k8s": contributeK8s,
};

/** Runs the contribute-* command of that name and resolves with its exit code. */
export async function runContribute(name: string, args: readonly string[], deps: CommandDeps): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  try {
    if (command !== undefined) return await command(args, deps);
    deps.error.write(`unknown command ${name}; one of ${Object.keys(commands).join(", ")}\n`);
    return 2;
  } catch (thrown) {
    for (const line of errorLines(name, thrown)) deps.error.write(`${line}\n`);
    return exitCodeOf(thrown);
  }
}

/** Commands that may become a relay themselves. */
const STARTS_A_RELAY = /^contribute-(?:hive|nest)$/;

/** What the command of that name runs with outside of tests: this process, its terminal and its programs. */
export function realDeps(name: string): CommandDeps {
  const atTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true;
  return {
    environment: STARTS_A_RELAY.test(name) ? takeSecrets(process.env) : process.env,
    out: process.stdout,
    error: process.stderr,
    fetch,
    ask: atTerminal ? askAtTerminal : undefined,
    run: (file, args, environment, input) =>
      new Promise((resolve) => {
        const stdin = input === undefined ? "inherit" : "pipe";
        const env = { ...environment } as NodeJS.ProcessEnv;
        const child = spawn(file, args, { stdio: [stdin, "inherit", "inherit"], env });
        child.stdin?.on("error", () => undefined).end(input);
        for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
        child.once("error", () => resolve(127));
        child.once("exit", (code, signal) => resolve(signal === null ? (code ?? 1) : 1));
      }),
    now: () => Date.now(),
    attempt,
    read: (file, args) =>
      new Promise((resolve) => {
        const child = execFile(file, [...args], { timeout: 10_000, encoding: "utf8" }, (failed, stdout) =>
          resolve(failed === null ? stdout : undefined),
        );
        child.stdin?.end();
      }),
  };
}

async function askAtTerminal(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

if (import.meta.main) {
  const [name = "", ...rest] = process.argv.slice(2);
  process.exitCode = await runContribute(name, rest, realDeps(name));
}
