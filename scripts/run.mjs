// Runs a TypeScript file with the Node the project brings; the system's Node may be older.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const ours = join(root, "node_modules", ".bin", "node");
const node = existsSync(ours) ? ours : process.execPath;
const child = spawn(node, ["--disable-warning=ExperimentalWarning", ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
