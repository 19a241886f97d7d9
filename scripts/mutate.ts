// `npm run mutate -- FILE … [-tests PATH …]`: plants faults in a file, one at a time, and tells which of them no test notices.
//
//   npm run mutate -- dispatch/src/leases/lease.ts
//   npm run mutate -- relay/src/secrets/secrets.ts -tests relay/src test/hostile/hostile-hub.test.ts
//
// Without -tests those of the file's own package are run. It works in a copy of the checkout; the tester is installed into a cache
// folder at the first call. Not part of any test run: a file takes minutes.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = process.cwd();
const { files, tests } = readArguments(process.argv.slice(2));
const tester = installTester();
const copy = mkdtempSync(join(tmpdir(), "nest-mutate-"));
try {
  copyCheckout();
  linkModules();
  writeFileSync(join(copy, "vitest.mutation.config.ts"), vitestConfig());
  writeFileSync(join(copy, "stryker.config.json"), JSON.stringify(strykerConfig()));
  const program = join(tester, "node_modules/@stryker-mutator/core/bin/stryker.js");
  const run = spawnSync(process.execPath, [program, "run", "stryker.config.json"], { cwd: copy, stdio: "inherit" });
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

function readArguments(args: readonly string[]): { files: string[]; tests: string[] } {
  const at = args.indexOf("-tests");
  const named = at === -1 ? [...args] : args.slice(0, at);
  const missing = named.filter((file) => !existsSync(join(root, file)));
  if (named.length === 0 || missing.length > 0) {
    const why = named.length === 0 ? "no file was named" : `${missing.join(", ")}: there is no such file`;
    console.error(`npm run mutate: error: ${why}`);
    console.error(
      "npm run mutate: hint: npm run mutate -- dispatch/src/leases/lease.ts [-tests dispatch/src/leases …]",
    );
    process.exit(2);
  }
  const packages = named.map((file) => `${file.split("/")[0]}/src`);
  return { files: named, tests: at === -1 ? [...new Set(packages)] : args.slice(at + 1) };
}

/** The tester in a folder of its own, as its lock file says, with the project's own Vitest. */
function installTester(): string {
  const from = join(root, "test/mutation");
  const digest = createHash("sha256")
    .update(readFileSync(join(from, "package-lock.json")))
    .digest("hex")
    .slice(0, 16);
  const folder = join(process.env.NEST_TEST_CACHE ?? join(homedir(), ".cache/nest-test"), `mutation-${digest}`);
  if (!existsSync(join(folder, "installed"))) {
    rmSync(folder, { recursive: true, force: true });
    cpSync(from, folder, { recursive: true });
    const run = spawnSync("npm", ["ci", "--loglevel=error", "--no-fund", "--no-audit"], {
      cwd: folder,
      stdio: "inherit",
    });
    if (run.status !== 0) process.exit(run.status ?? 1);
    writeFileSync(join(folder, "installed"), "");
  }
  rmSync(join(folder, "node_modules/vitest"), { recursive: true, force: true });
  symlinkSync(join(root, "node_modules/vitest"), join(folder, "node_modules/vitest"));
  return folder;
}

function copyCheckout(): void {
  const listed = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  for (const file of listed.stdout.split("\n").filter((name) => name !== "" && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
}

/** Links installed packages, and our own packages of the copy, so that a fault planted in one is seen by the others. */
function linkModules(): void {
  const ours = join(copy, "node_modules/@nest");
  mkdirSync(ours, { recursive: true });
  for (const name of readdirSync(join(root, "node_modules")).filter((entry) => entry !== "@nest"))
    symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name));
  for (const name of readdirSync(join(root, "node_modules/@nest"))) symlinkSync(join("../..", name), join(ours, name));
}

function vitestConfig(): string {
  const include = tests.map((path) => (path.endsWith(".ts") ? path : `${path}/**/*.test.ts`));
  const test = { include, testTimeout: 30_000, hookTimeout: 60_000 };
  return `import { defineConfig } from "vitest/config";\nexport default defineConfig(${JSON.stringify({ test })});\n`;
}

function strykerConfig(): object {
  return {
    mutate: files,
    inPlace: true,
    testRunner: "vitest",
    plugins: [join(tester, "node_modules/@stryker-mutator/vitest-runner/dist/src/index.js")],
    vitest: { configFile: "vitest.mutation.config.ts", related: false },
    coverageAnalysis: "perTest",
    ignoreStatic: true,
    concurrency: 2,
    timeoutMS: 20_000,
    disableTypeChecks: false,
    allowEmpty: false,
    reporters: ["clear-text", "progress"],
    clearTextReporter: { allowColor: false, reportTests: false, logTests: false },
    checkers: [],
  };
}
