import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const BUILDER = join(import.meta.dirname, "../../../scripts/build-web.mjs");

/**
 * Builds the browser app where that was never done, or its sources have changed since; says what it does on stderr. Answers
 * whether there is one now: everything else works without it.
 */
export async function buildBrowserApp(): Promise<boolean> {
  const builder = spawn(process.execPath, [BUILDER], { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = (await once(builder, "close")) as [number | null];
  return code === 0;
}
