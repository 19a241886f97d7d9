import { createLog, type Environment, parseFlags, systemClock, systemRandom, UsageError } from "@nest/kit";
import { claim } from "./claim.ts";
import { remove } from "./delete.ts";
import { apply, render } from "./render.ts";
import { instanceFlags } from "./spec-flags.ts";
import { USAGE } from "./usage.ts";
import { connectByKubeconfig, type InstanceDeps, type Verb } from "./verb.ts";
import { verify } from "./verify.ts";

const verbs: Readonly<Record<string, Verb>> = { render, apply, verify, claim, delete: remove };

/** `nest instance`: the manual provisioning path. @throws UsageError for wrong arguments; the caller prints it and exits 2. */
export async function runInstance(args: readonly string[], environment: Environment): Promise<number> {
  return instance(args, {
    environment,
    clock: systemClock(),
    random: systemRandom(),
    log: createLog({ program: "nest-instance", level: "warn" }),
    input: process.stdin,
    print: (text) => process.stdout.write(text),
    tell: (text) => process.stderr.write(`nest instance: ${text}\n`),
    connect: connectByKubeconfig,
    signal: new AbortController().signal,
  });
}

/** The same with everything passed in. */
export async function instance(args: readonly string[], deps: InstanceDeps): Promise<number> {
  const { flags, words, help } = parseFlags(args, instanceFlags, USAGE);
  if (help) {
    deps.print(USAGE);
    return 0;
  }
  const [name = "", ...rest] = words;
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb === undefined) throw new UsageError(name === "" ? "which verb?" : `unknown verb ${name}`, { usage: USAGE });
  if (rest[0] !== undefined) throw new UsageError(`unknown argument ${rest[0]}`, { usage: USAGE });
  return verb(flags, deps);
}
