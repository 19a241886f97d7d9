import { spawnSync } from "node:child_process";

/** `npm test`: every check, then every test. The last line is `N passed, N failed`; checks that failed count as one. */
const check = spawnSync(process.execPath, ["scripts/check.ts"], { stdio: "inherit" });
const checksFailed = check.status !== 0;
if (checksFailed) console.error("npm test: error: the checks above failed; the tests run all the same");
const tests = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, ...(checksFailed ? { NEST_CHECKS_FAILED: "1" } : {}) },
});
process.exitCode = checksFailed ? 1 : (tests.status ?? 1);
