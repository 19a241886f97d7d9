import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const FOLDER = join(import.meta.dirname, "../agent-clis");
const CACHE = process.env.NEST_TEST_CACHE ?? join(homedir(), ".cache/nest-test");
const run = promisify(execFile);
const INSTALL_WITHIN_MS = 240_000;

let installing: Promise<unknown> | undefined;

/**
 * The path of a real agent CLI out of `test/agent-clis`; undefined when it is not there. They are hundreds of megabytes, so
 * only a CI run installs them by itself.
 */
export async function agentCli(name: string): Promise<string | undefined> {
  const path = join(FOLDER, "node_modules", ".bin", name);
  if (!existsSync(path) && process.env.CI === "true") {
    installing ??= run("npm", ["ci", "--loglevel=error"], { cwd: FOLDER, timeout: INSTALL_WITHIN_MS });
    await installing;
  }
  return existsSync(path) ? path : undefined;
}

/**
 * The path of the real aider, out of the package index for Python, kept between runs; or why there is none. It takes a minute to
 * install, so only a CI run does so by itself.
 */
export async function aiderCli(): Promise<{ readonly path: string } | { readonly missing: string }> {
  const folder = join(CACHE, "aider-0.86.2");
  const path = join(folder, "bin/aider");
  if (existsSync(path)) return { path };
  const requirements = join(FOLDER, "aider.txt");
  if (process.env.CI !== "true")
    return {
      missing: `aider is not installed: python3 -m venv ${folder} && ${folder}/bin/pip install -r ${requirements}`,
    };
  try {
    await mkdir(CACHE, { recursive: true });
    await run("python3", ["-m", "venv", folder]);
    // Every package is pinned, so that nothing has to be worked out.
    const quiet = ["install", "--quiet", "--disable-pip-version-check", "--retries", "1", "--no-deps", "--no-compile"];
    await run(join(folder, "bin/pip"), [...quiet, "-r", requirements], { timeout: INSTALL_WITHIN_MS });
    return { path };
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true });
    return {
      missing: `aider cannot be installed: ${thrown instanceof Error ? thrown.message.trim().split("\n").at(-1) : thrown}`,
    };
  }
}
