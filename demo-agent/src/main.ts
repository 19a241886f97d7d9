import { errorLines, NestError, redactor, Secret, systemClock } from "@nest/kit";
import { readPrompts } from "./terminal-input.ts";
import { type Verdict, work } from "./work.ts";

const VERSION = "demo-agent 1.0.0";
const PROMPT_FLAGS = new Set(["-p", "--print", "--prompt"]);

/** The value of the prompt flag; other flags, of the agents that this one stands in for, are passed over. */
function promptOf(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => PROMPT_FLAGS.has(arg));
  return at < 0 ? undefined : (args[at + 1] ?? "");
}

function addressFrom(environment: NodeJS.ProcessEnv) {
  const token = environment.GH_TOKEN ?? "";
  if (token === "") throw new NestError("agent_token", "GH_TOKEN is not set");
  const base = (value: string | undefined, otherwise: string) => (value || otherwise).replace(/\/+$/, "");
  return {
    token: new Secret(token),
    apiUrl: base(environment.NEST_GITHUB_API_URL, "https://api.github.com"),
    webUrl: base(environment.NEST_GITHUB_URL, "https://github.com"),
  };
}

function print(line: string): void {
  const redact = redactor([process.env.GH_TOKEN, process.env.NEST_REGISTRATION_TOKEN]);
  process.stdout.write(`${redact(line)}\n`);
}

async function doTask(prompt: string): Promise<void> {
  const clock = systemClock();
  const paceMs = Math.max(0, Number(process.env.NEST_DEMO_PACE_MS) || 0);
  const say = async (line: string) => {
    print(line);
    if (paceMs > 0) await clock.sleep(paceMs);
  };
  const verdict = await work({ prompt, address: addressFrom(process.env), folder: process.cwd(), say });
  if (verdict.kind === "complete") print(`Pull request: ${verdict.url}`);
  print(verdictLine(verdict));
}

function verdictLine(verdict: Verdict): string {
  return `NEST_VERDICT: ${verdict.kind === "complete" ? "complete" : `${verdict.kind} ${verdict.reason}`}`;
}

function fail(thrown: unknown): void {
  for (const line of errorLines("demo-agent", thrown)) print(line);
}

/** One prompt after the other, each when the last is done, until the input ends. */
function interactive(): void {
  const ready = () => process.stdout.write("> ");
  let last: Promise<void> = Promise.resolve();
  print(`${VERSION}, ready. Paste a task; /exit leaves.`);
  ready();
  const leave = (code: number) => {
    if (process.stdin.isTTY) process.stdin.setRawMode(false);
    process.exit(code);
  };
  readPrompts(process.stdin, (text) => process.stdout.write(text), {
    prompt(text) {
      if (text === "/exit" || text === "exit") leave(0);
      last = last
        .then(() => (text === "" ? undefined : doTask(text)))
        .catch(fail)
        .then(() => void ready());
    },
    end(interrupted) {
      if (interrupted) leave(130);
      last.then(() => leave(0), fail);
    },
  });
}

const args = process.argv.slice(2);
const prompt = promptOf(args);
if (args.includes("--version") || args.includes("-v")) print(VERSION);
else if (prompt === undefined) interactive();
else {
  try {
    await doTask(prompt);
  } catch (thrown) {
    fail(thrown);
    process.exitCode = 1;
  }
}
