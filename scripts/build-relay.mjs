// Makes the relay's package, which a hub hands out at /contribute/relay.tgz, where its sources are newer than what was made. Runs on
// the system's Node (20 or newer): plain JavaScript, nothing imported from npm; the bundler runs on the Node that the project brings.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { digestOf, root } from "./source-digest.mjs";

/** Makes it unless what stands in `dist` was made of these very sources; false when that failed. */
export function buildRelay() {
  if (isFresh()) return true;
  console.error("nest: making the relay's package");
  const ours = join(root, "node_modules", ".bin", "node");
  const done = spawnSync(existsSync(ours) ? ours : process.execPath, [join(root, "scripts", "bundle.ts"), "-quiet"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  return done.status === 0;
}

/** `scripts/bundle.ts` notes the files that it used, and their digest. */
function isFresh() {
  const [made, note] = [join(root, "dist", "relay.tgz"), join(root, "dist", "relay.sources.json")];
  if (!existsSync(made) || !existsSync(note)) return false;
  try {
    const { files, digest } = JSON.parse(readFileSync(note, "utf8"));
    return digestOf(files) === digest;
  } catch {
    return false;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !buildRelay()) process.exit(1);
