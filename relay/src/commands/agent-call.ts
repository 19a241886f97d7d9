import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentEnvironment, type Backend, withDefaults } from "@nest/agents";
import { plainLine } from "@nest/kit";
import type { Check } from "./checks.ts";
import type { CommandDeps } from "./command.ts";

const NAME = "agent answers";
const PATIENCE_MS = 60_000;
/** Some CLIs try for a minute before they say that nobody is signed in. */
const PATIENCE_SIGNED_OUT_MS = 10_000;
const PROMPT = "Answer with the one word: ready. Use no tool.";
const LONGEST = 160;
/** What CLIs and their makers' servers say when nobody is signed in. */
const SIGNED_OUT = /\b(?:401|403|unauthori[sz]ed|unauthenticated|log ?in|sign ?in|api key|credential|expired)\b/i;

/**
 * Asks the agent for one word, as it would be asked for a task: the cheapest call that shows whether its login works. An agent that
 * needs a terminal is not asked. Only an answer that speaks of the login is a gap; anything else is told.
 */
export async function callAgent(
  backend: Backend,
  binary: string | undefined,
  isSignedIn: boolean,
  deps: CommandDeps,
): Promise<Check | undefined> {
  if (binary === undefined || backend.oneShot === undefined || deps.environment.NEST_AGENT_COMMAND) return undefined;
  const { AGENT_MODEL: model, AGENT_REASONING_EFFORT: effort } = deps.environment;
  const folder = await mkdtemp(join(tmpdir(), "nest-check-"));
  const choice = { model: model || undefined, effort: effort || undefined, container: false, sandboxed: false };
  const environment = agentEnvironment(await withDefaults(backend, deps.environment), {
    backend,
    isContained: false,
    model: choice.model,
  });
  const timeoutMs = isSignedIn ? PATIENCE_MS : PATIENCE_SIGNED_OUT_MS;
  deps.error.write(`asking ${backend.binary} for one word, which may take up to ${timeoutMs / 1000} s\n`);
  try {
    const args = backend.oneShot({ ...choice, prompt: PROMPT });
    const end = await deps.attempt(binary, args, { environment, folder, timeoutMs });
    return checkOf(backend, end, { isSignedIn, timeoutMs });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function checkOf(
  backend: Backend,
  end: Awaited<ReturnType<CommandDeps["attempt"]>>,
  { isSignedIn, timeoutMs }: { readonly isSignedIn: boolean; readonly timeoutMs: number },
): Check {
  const said = lastLine(backend.decode?.(end?.output ?? "") ?? end?.output ?? "");
  if (end?.code === 0) return { name: NAME, ok: true, detail: said === "" ? "yes" : `yes: ${said}`, required: false };
  if (end === undefined)
    return {
      name: NAME,
      ok: false,
      detail: `it did not answer within ${timeoutMs / 1000} s`,
      remedy: `start ${backend.binary} once and ${isSignedIn ? "see what it waits for" : "sign in"}`,
      required: false,
    };
  const isSignedOut = SIGNED_OUT.test(end.output);
  return {
    name: NAME,
    ok: false,
    detail: `it ended with ${end.code}${said === "" ? " and said nothing" : `: ${said}`}`,
    remedy: isSignedOut ? `start ${backend.binary} once and sign in` : `start ${backend.binary} once and see why`,
    required: isSignedOut,
  };
}

function lastLine(output: string): string {
  const lines = output
    .split("\n")
    .map(plainLine)
    .filter((line) => line.trim() !== "");
  return (lines.at(-1) ?? "").slice(0, LONGEST);
}
