// Sets up what a fresh checkout lacks. Runs on the system's Node (20 or newer): plain JavaScript, nothing imported from npm.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildRelay } from "./build-relay.mjs";
import { buildWeb } from "./build-web.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const major = Number(process.versions.node.split(".")[0]);
if (major < 20) {
  console.error(`nest: error: Node ${process.versions.node} is too old`);
  console.error("nest: hint: install Node 20 or newer; the project brings the newer one it runs on by itself");
  process.exit(1);
}

const marker = join(root, "node_modules", ".nest-installed");
const lock = readFileSync(join(root, "package-lock.json"));
const wanted = createHash("sha256").update(lock).digest("hex");
const installed = existsSync(marker) ? readFileSync(marker, "utf8") : "";
if (installed !== wanted) {
  console.error("nest: installing dependencies (once)");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const done = spawnSync(npm, ["ci", "--loglevel=error", "--no-fund", "--no-audit"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (done.status !== 0) {
    console.error("nest: error: the dependencies could not be installed");
    console.error("nest: hint: check that the npm registry can be reached, then run the command again");
    process.exit(done.status ?? 1);
  }
  writeFileSync(marker, wanted);
}

if (!buildWeb()) {
  console.error("nest: error: the browser app could not be built; the lines above say why");
  console.error("nest: hint: everything else works; the hub's pages for admins say what to run when it can be built");
}
if (!buildRelay()) {
  console.error("nest: error: the relay's package could not be made; the lines above say why");
  console.error("nest: hint: everything else works; the hub's page for contributors names the way over a checkout");
}
