// Makes package-lock.json anew from the manifests alone: `npm run lock`. Runs on the system's Node, nothing imported from npm.
//
//   npm run lock                       the same lock again: releases after `config.lockedBefore` in package.json are not seen
//   npm run lock -- -before 2026-12-24   newer releases too, where the manifests let them in; the date is kept in package.json
//   npm run lock -- -check             changes nothing; exit 1 when the manifests ask for something else than the lock in place has
//
// A check begins with the lock in place: a registry that has got more releases meanwhile, of whatever date, makes it no worse.
// It is made in an empty folder, because npm would otherwise lock only the platforms that are installed here.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const before = readBefore(process.argv.slice(2));
const isCheck = process.argv.includes("-check");
const inPlace = readFileSync(join(root, "package-lock.json"), "utf8");
const made = makeLock(isCheck ? inPlace : undefined);
checkIntegrity(made);
if (isCheck) {
  if (made === inPlace) console.log("package-lock.json is what the manifests make");
  else fail("package-lock.json is not what the manifests make", "run: npm run lock");
} else {
  writeFileSync(join(root, "package-lock.json"), made);
  if (before !== manifest.config.lockedBefore) {
    manifest.config.lockedBefore = before;
    writeFileSync(join(root, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  }
  console.log(made === inPlace ? "package-lock.json is as it was" : "package-lock.json was made anew");
}

function readBefore(args) {
  const at = args.indexOf("-before");
  const date = at === -1 ? manifest.config.lockedBefore : args[at + 1];
  const time = Date.parse(date);
  if (Number.isNaN(time)) fail(`-before: ${date} is no date`, "write it as 2026-12-24");
  return new Date(time).toISOString().replace(".000Z", "Z");
}

/** The lock that npm makes; `from` is one that it keeps as far as the manifests let it. */
function makeLock(from) {
  const folder = mkdtempSync(join(tmpdir(), "nest-lock-"));
  try {
    for (const name of [".", ...manifest.workspaces]) {
      mkdirSync(join(folder, name), { recursive: true });
      cpSync(join(root, name, "package.json"), join(folder, name, "package.json"));
    }
    cpSync(join(root, ".npmrc"), join(folder, ".npmrc"));
    if (from !== undefined) writeFileSync(join(folder, "package-lock.json"), from);
    const args = ["install", "--package-lock-only", "--ignore-scripts", "--loglevel=error", `--before=${before}`];
    const run = spawnSync("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
    if (run.status !== 0) fail("npm could not make a lock", "check that the npm registry can be reached");
    return readFileSync(join(folder, "package-lock.json"), "utf8");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Checks that the lock names each package by its digest, on every platform. */
function checkIntegrity(lock) {
  const entries = Object.entries(JSON.parse(lock).packages);
  const bare = entries.filter(([path, entry]) => path.startsWith("node_modules/") && !entry.link && !entry.integrity);
  if (bare.length > 0)
    fail(`without a digest: ${bare.map(([path]) => path).join(", ")}`, "pin versions that are published whole");
}

function fail(sentence, hint) {
  console.error(`npm run lock: error: ${sentence}`);
  console.error(`npm run lock: hint: ${hint}`);
  process.exit(1);
}
