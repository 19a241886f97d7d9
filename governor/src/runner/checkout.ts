import { spawn } from "node:child_process";
import { join } from "node:path";
import { type Clock, NestError, plainLine } from "@nest/kit";

const CLONE_LIMIT_MS = 5 * 60_000;
const DIFF_LIMIT_MS = 10_000;
/** Enough history to see why a line is as it is; a whole history can be gigabytes. */
const DEPTH = "100";

/** Settings that keep a repository from making git run programs of the repository's choice. */
const NO_PROGRAMS = [
  ...["-c", "core.hooksPath=/dev/null"],
  ...["-c", "core.fsmonitor=false"],
  ...["-c", "protocol.ext.allow=never"],
  ...["-c", "protocol.file.allow=user"],
];

export interface GitDeps {
  /** Absolute path of git. */
  readonly git: string;
  readonly clock: Clock;
  /** Removes secrets from what git says. */
  readonly redact: (text: string) => string;
}

/**
 * Clones a repository into `folder/<name>`, with the login that the environment's git settings bring.
 *
 * @returns the checkout's name in the folder.
 * @throws NestError `checkout_failed` with git's last words, or the signal's reason: git is ended at once then.
 */
export async function checkOut(
  deps: GitDeps,
  from: { readonly webBase: string; readonly repo: string },
  to: Place & { readonly signal: AbortSignal },
): Promise<string> {
  const name = from.repo.split("/")[1] ?? from.repo;
  const address = `${from.webBase.replace(/\/+$/, "")}/${from.repo}.git`;
  const options = ["--quiet", "--depth", DEPTH, "--no-tags", "--no-recurse-submodules"];
  const args = [...NO_PROGRAMS, "clone", ...options, "--", address, join(to.folder, name)];
  const { code, said } = await run(deps, [deps.git, ...args], to, CLONE_LIMIT_MS);
  to.signal.throwIfAborted();
  if (code === 0) return name;
  const why = code === undefined ? "it took longer than 5 minutes" : plainLine(deps.redact(said)).slice(-300);
  throw new NestError("checkout_failed", `${from.repo} could not be checked out: ${why}`, {
    hint: "see whether the nest's login may read it",
  });
}

/** What a run changed in its checkout, committed or not. */
export interface DiffSummary {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

/**
 * What an agent changed since the checkout was made; undefined where it cannot be told. The checkout is the agent's by now: git runs
 * inside the run's own sandbox, so that settings an agent left there reach no further than the agent did.
 */
export async function diffOf(
  deps: GitDeps,
  checkout: string,
  confined: ((argv: readonly string[]) => readonly string[]) | undefined,
): Promise<DiffSummary | undefined> {
  const args = [...NO_PROGRAMS, "-C", checkout, "diff", "--shortstat", "--no-ext-diff", "--no-textconv", "origin/HEAD"];
  const argv = [deps.git, ...args];
  const { code, said } = await run(deps, confined?.(argv) ?? argv, { folder: "/", environment: {} }, DIFF_LIMIT_MS);
  if (code !== 0) return undefined;
  const count = (pattern: RegExp) => Number(pattern.exec(said)?.[1] ?? 0);
  return {
    files: count(/(\d+) files? changed/),
    added: count(/(\d+) insertions?\(\+\)/),
    removed: count(/(\d+) deletions?\(-\)/),
  };
}

const MOST_SAID = 16 * 1024;

interface Place {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Runs a program, until its signal says no; `code` is undefined where it was ended because it took too long. What it says is cut. */
function run(
  { clock }: GitDeps,
  argv: readonly string[],
  { folder, environment, signal }: Place,
  limitMs: number,
): Promise<{ readonly code: number | undefined; readonly said: string }> {
  const [program = "", ...args] = argv;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", ...environment, GIT_TERMINAL_PROMPT: "0", GIT_CONFIG_NOSYSTEM: "1" },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let said = "";
    let isLate = false;
    const end = () => {
      if (child.pid !== undefined) endGroup(child.pid);
    };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        said = (said + text).slice(-MOST_SAID);
      });
    const cancel = clock.after(limitMs, () => {
      isLate = true;
      end();
    });
    if (signal?.aborted === true) end();
    signal?.addEventListener("abort", end);
    const over = () => {
      cancel();
      signal?.removeEventListener("abort", end);
    };
    child.once("error", ({ message }) => {
      over();
      resolve({ code: 127, said: message });
    });
    child.once("close", (code) => {
      over();
      resolve({ code: isLate ? undefined : (code ?? 1), said });
    });
  });
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
