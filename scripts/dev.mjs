// `npm run dev`: the product on this machine, started again when a server's source changes; the browser app is built anew when
// its own does, and the hub serves what was built last, so reloading the page is enough. The parts that pages share are shown in
// all their states at the address that it prints, which no build has.
import { spawn } from "node:child_process";
import { existsSync, watch } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const ours = join(root, "node_modules", ".bin", "node");
const node = existsSync(ours) ? ours : process.execPath;
/** Editors write a file in several steps. */
const SETTLE_MS = 200;
const PARTS_PORT = 8095;

const up = ["--disable-warning=ExperimentalWarning", "--watch", "nest/src/main.ts", "up", "-data", ".cache/dev"];
const nest = spawn(node, up, { cwd: root, stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => nest.kill(signal));
nest.on("exit", (code, signal) => {
  parts.kill();
  process.exit(signal ? 1 : (code ?? 1));
});

const vite = ["node_modules/vite/bin/vite.js", "--config", "web/dev/vite.config.ts", "--logLevel", "warn"];
const parts = spawn(node, [...vite, "--port", String(PARTS_PORT), "--strictPort"], { cwd: root, stdio: "inherit" });
console.error(`nest: the shared parts of the pages: http://127.0.0.1:${PARTS_PORT}/dev/parts`);

let due;
let building = false;
function buildSoon() {
  clearTimeout(due);
  due = setTimeout(() => {
    if (building) return buildSoon();
    building = true;
    spawn(process.execPath, ["scripts/build-web.mjs"], { cwd: root, stdio: "inherit" }).on("exit", () => {
      building = false;
    });
  }, SETTLE_MS);
}
for (const folder of ["web/src", "protocol/src"]) watch(join(root, folder), { recursive: true }, buildSoon);
