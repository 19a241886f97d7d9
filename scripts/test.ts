import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closingLine, outcome } from "./counts.ts";

/**
 * `npm test`: every check, then every test. The last line is `N passed, N failed`; checks that failed count as one. The exit
 * code is that line's: 0 only when something passed and nothing failed.
 */
const check = spawnSync(process.execPath, ["scripts/check.ts"], { stdio: "inherit" });
const checksFailed = check.status !== 0;
if (checksFailed) console.error("npm test: error: the checks above failed; the tests run all the same");
const folder = mkdtempSync(join(tmpdir(), "nest-test-"));
const file = join(folder, "counts.json");
const tests = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, NEST_TEST_COUNTS: file },
});
const counts = outcome({ file, exitCode: tests.status, checksFailed });
rmSync(folder, { recursive: true, force: true });
console.log(closingLine(counts));
process.exitCode = counts.failed === 0 ? 0 : 1;
