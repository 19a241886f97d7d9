import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const FOLDER = join(import.meta.dirname, "../agent-clis");
const INSTALL_WITHIN_MS = 240_000;

let installing: Promise<unknown> | undefined;

/**
 * The path of a real agent CLI out of `test/agent-clis`; undefined when it is not there. They are hundreds of megabytes, so
 * only a CI run installs them by itself.
 */
export async function agentCli(name: string): Promise<string | undefined> {
  const path = join(FOLDER, "node_modules", ".bin", name);
  if (!existsSync(path) && process.env.CI === "true") {
    installing ??= promisify(execFile)("npm", ["ci", "--loglevel=error"], { cwd: FOLDER, timeout: INSTALL_WITHIN_MS });
    await installing;
  }
  return existsSync(path) ? path : undefined;
}
