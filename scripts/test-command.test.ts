import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const greenTest = `import { test } from "vitest"; test("green", () => {});`;
const redTest = `import { expect, test } from "vitest"; test("red", () => { expect(1).toBe(2); });`;
let checkout: string;

/** A checkout with this test command, its two projects and the real PostgreSQL, but only planted checks and tests. */
beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), "nest-test-command-"));
  await mkdir(join(checkout, "test/scenarios"), { recursive: true });
  await mkdir(join(checkout, "scripts"));
  for (const path of [
    "package.json",
    "vitest.config.ts",
    "scripts/test.ts",
    "scripts/counts.ts",
    "scripts/closing-line.ts",
    "test/harness/postgres-for-all.ts",
    "test/real-postgres/login.ts",
    "test/real-postgres/real-postgres.ts",
    "test/real-postgres/server-process.ts",
    ".ci/run",
  ])
    await cp(join(root, path), join(checkout, path));
  await symlink(join(root, "node_modules"), join(checkout, "node_modules"));
  await plant("scripts/check.ts", "");
  await plant("test/scenarios/claims.test.ts", greenTest);
});

afterEach(() => rm(checkout, { recursive: true, force: true }));

test("a run in which all passed exits with 0", () => {
  expect(runTests()).toEqual({ exitCode: 0, lastLine: "2 passed, 0 failed" });
});

test("a failing test makes it exit non-zero, also where the PostgreSQL server was running", async () => {
  await plant("test/scenarios/claims.test.ts", redTest);
  expect(runTests()).toEqual({ exitCode: 1, lastLine: "0 passed, 2 failed" });
});

test("a failing check makes it exit non-zero, and counts as one failure", async () => {
  await plant("scripts/check.ts", "process.exitCode = 1;");
  expect(runTests()).toEqual({ exitCode: 1, lastLine: "2 passed, 1 failed" });
});

test("a file that cannot be set up makes it exit non-zero, though its tests are only skipped", async () => {
  await plant(
    "scripts/setup.test.ts",
    `import { beforeAll, test } from "vitest"; beforeAll(() => { throw new Error("no"); }); test("skipped", () => {});`,
  );
  expect(runTests()).toEqual({ exitCode: 1, lastLine: "2 passed, 1 failed" });
});

test("a test process that is killed makes it exit non-zero", async () => {
  await plant(
    "scripts/killed.test.ts",
    `import { test } from "vitest"; test("k", () => { process.kill(process.pid, "SIGKILL"); });`,
  );
  const { exitCode, lastLine } = runTests();
  expect(exitCode).toBe(1);
  expect(lastLine).toMatch(/^\d+ passed, [1-9]\d* failed$/);
});

test("a runner that crashes before its first test makes it exit non-zero", async () => {
  await plant("vitest.config.ts", `throw new Error("no configuration");`);
  expect(runTests()).toEqual({ exitCode: 1, lastLine: "0 passed, 1 failed" });
});

test("a runner that ends with 0 without writing counts makes it exit non-zero", async () => {
  await plant("vitest.config.ts", "process.exit(0);");
  expect(runTests()).toEqual({ exitCode: 1, lastLine: "0 passed, 1 failed" });
});

test.each([
  ["echo '3 passed, 0 failed'", 0],
  ["echo '3 passed, 1 failed'", 1],
  ["echo '3 passed, 0 failed'; false", 1],
  ["echo '0 passed, 0 failed'", 1],
  ["echo nothing was counted", 1],
])("what a build machine runs exits by the last line and by the exit code: %s", async (command, exitCode) => {
  const script = await readFile(join(root, ".ci/run"), "utf8");
  const planted = script.replace(/^run\(\) \{$[^}]*^\}$/m, `run() {\n  ${command}\n}`);
  await plant(".ci/run", planted);
  const run = spawnSync("bash", [".ci/run"], { cwd: checkout, encoding: "utf8" });
  expect(run.status === 0 ? 0 : 1).toBe(exitCode);
  const lastLine = run.stdout.trim().split("\n").at(-1) ?? "";
  if (exitCode === 0) expect(lastLine).toBe("3 passed, 0 failed");
  else expect(lastLine).not.toMatch(/^[1-9]\d* passed, 0 failed$/);
});

async function plant(path: string, text: string): Promise<void> {
  await writeFile(join(checkout, path), text);
}

function runTests(): { exitCode: number | null; lastLine: string | undefined } {
  const { NEST_TEST_COUNTS: _, VITEST: __, ...environment } = process.env;
  const run = spawnSync(process.execPath, ["--disable-warning=ExperimentalWarning", "scripts/test.ts"], {
    cwd: checkout,
    encoding: "utf8",
    env: environment,
  });
  return { exitCode: run.status, lastLine: run.stdout.trim().split("\n").at(-1) };
}
