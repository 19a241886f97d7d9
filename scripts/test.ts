import { spawnSync } from "node:child_process";

/** `npm test`: every check, then every test. The last line is `N passed, N failed`. */
const check = spawnSync(process.execPath, ["scripts/check.ts"], { stdio: "inherit" });
const tests = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2)], {
  stdio: "inherit",
});
if (check.status !== 0) console.error("npm test: error: the checks above failed");
process.exitCode = check.status === 0 ? (tests.status ?? 1) : 1;
