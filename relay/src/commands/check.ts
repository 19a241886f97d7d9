import { type Backend, backendOf, backends } from "@nest/agents";
import { parseFlags, UsageError } from "@nest/kit";
import { exposureOf } from "../settings/contributor-env.ts";
import { callAgent } from "./agent-call.ts";
import { AGENT_CREDENTIAL, agentBinary, type Check, checkMachine, type Place } from "./checks.ts";
import type { Command, CommandDeps } from "./command.ts";
import { checkHubs } from "./hub-checks.ts";
import { contributorEnvFile, readSaved, withKeptCodeHost } from "./saved-env.ts";

const USAGE = `usage: contribute-check <backend> [-container] [-json] [-quick]

Looks for what the backend needs on this machine, and changes nothing: the CLI and its login, the code-host login, git, a container
runtime, a sandbox, tmux, room on the disk. Where this machine is registered: whether each hub answers and knows the token, and
whether the clock is right. The agent is asked for one word, which is the one way to see that its login works; it costs next to nothing.

  -container   the agent works in a container or on a cluster: its CLI is in the image, and is neither looked for nor asked here
  -json        for programs
  -quick       without asking the agent

Exit 0 when the relay can work, 1 when something is missing; each gap says what to do.

backends: ${backends.map(({ name }) => name).join(", ")}
`;

/** `contribute-check <backend>`: pre-registration check for missing CLIs or auth gaps. */
export const contributeCheck: Command = async (args, given) => {
  const { flags, words, help } = parseFlags(args, { container: "switch", json: "switch", quick: "switch" }, USAGE);
  if (help) {
    given.out.write(USAGE);
    return 0;
  }
  const deps = { ...given, environment: withKeptCodeHost(given.environment, await readSaved(given.environment)) };
  const backend = requireBackend(words, "contribute-check");
  const [[machine, answer], hubs] = await Promise.all([
    checkAgent(backend, { quick: flags.quick === true, place: flags.container === true ? "image" : "here" }, deps),
    checkHubs(deps),
  ]);
  const checks = [...machine, ...(answer === undefined ? [] : [answer]), ...hubs];
  const ok = checks.every((check) => check.ok || !check.required);
  if (flags.json === true) deps.out.write(`${JSON.stringify({ backend: backend.name, ok, checks })}\n`);
  else deps.out.write(`${tableOf(checks)}\n${closing(backend.name, ok, hubs, flags.container === true)}\n`);
  return ok ? 0 : 1;
};

/** What this machine has, and whether the agent answers: one that seems to be signed out is given less time for it. */
async function checkAgent(
  backend: Backend,
  { quick, place }: { readonly quick: boolean; readonly place: Place },
  deps: CommandDeps,
) {
  const machine = [...(await checkMachine(backend, deps, place)), ...(await checkKept(deps))];
  if (quick || place === "image") return [machine, undefined] as const;
  const isSignedIn = machine.some(({ name, ok }) => name === AGENT_CREDENTIAL && ok);
  return [machine, await callAgent(backend, await agentBinary(backend, deps.environment), isSignedIn, deps)] as const;
}

/** A gap where the file with the tokens is open to others; nothing to tell where it is not. */
async function checkKept({ environment }: CommandDeps): Promise<readonly Check[]> {
  const file = contributorEnvFile(environment);
  const exposure = await exposureOf(file);
  if (exposure === undefined) return [];
  const [detail = "", remedy = ""] = exposure.split(": ");
  return [{ name: "contributor.env", ok: false, detail, remedy, required: false }];
}

function closing(backend: string, ok: boolean, hubs: readonly Check[], isInContainer: boolean): string {
  if (!ok) return "Not ready yet.";
  const isRegistered = hubs.some(({ name }) => name.startsWith("hub "));
  return isRegistered
    ? `Ready: contribute-hive ${backend}${isInContainer ? "" : " local"} starts a relay.`
    : "Ready: contribute-setup registers you.";
}

/** The backend that the one word names. @throws UsageError. */
export function requireBackend(words: readonly string[], command: string) {
  const [name, ...rest] = words;
  const hint = `${command} -h lists them`;
  if (name === undefined) throw new UsageError("a backend is missing", { hint });
  if (rest[0] !== undefined) throw new UsageError(`unknown argument ${rest[0]}`, { hint });
  const backend = backendOf(name);
  if (backend === undefined) throw new UsageError(`unknown backend "${name}"`, { hint });
  return backend;
}

/** Checks as lines for a person: ✓ or ✗, what was found, and the remedy. */
export function tableOf(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .map(({ name, ok, detail, remedy, required }) => {
      const mark = ok ? "✓" : required ? "✗" : "–";
      return `${mark} ${name.padEnd(width)}  ${detail}${remedy === undefined ? "" : `\n  ${" ".repeat(width)}  → ${remedy}`}`;
    })
    .join("\n");
}
