import { spawn } from "node:child_process";
import { performance } from "node:perf_hooks";

/** `npm run check`: format, lint, types, dependency rules and dead code, side by side, in seconds. */
const checks: readonly (readonly [name: string, command: readonly string[]])[] = [
  ["format and lint", ["node_modules/.bin/biome", "check", "--error-on-warnings", "."]],
  ["types", ["node_modules/.bin/tsc"]],
  ["types of the browser app", ["node_modules/.bin/tsc", "-p", "web"]],
  ["dependency rules", [process.execPath, "scripts/dependency-rules.ts"]],
  ["dead code", [process.execPath, "node_modules/.bin/knip"]],
];

async function runCheck(name: string, [file = "", ...args]: readonly string[]): Promise<boolean> {
  const started = performance.now();
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const code = await new Promise((resolve) => child.on("close", resolve));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.error(`${code === 0 ? "✓" : "✗"} ${name} (${seconds} s)`);
  if (code !== 0) console.error(output);
  return code === 0;
}

const passed = await Promise.all(checks.map(([name, command]) => runCheck(name, command)));
process.exitCode = passed.every(Boolean) ? 0 : 1;
