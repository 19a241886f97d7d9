// Builds the browser app where its sources are newer than what was built. Runs on the system's Node (20 or newer): plain
// JavaScript, nothing imported from npm; the build itself runs on the Node that the project brings.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { digestOf, root } from "./source-digest.mjs";

/** The files and folders that the app is built from. */
const sources = [
  "web/src",
  "web/vite.config.ts",
  "web/renderer",
  "web/package.json",
  "web/tsconfig.json",
  "protocol/src",
  "protocol/package.json",
  "package-lock.json",
];

/** Builds the app unless what stands in `web/dist` was made of these very sources; false when that failed. */
export function buildWeb() {
  const dist = join(root, "web", "dist");
  const stamp = join(dist, ".sources");
  const wanted = digestOf(sources);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return true;
  console.error("nest: building the browser app");
  // Built in a folder beside and then moved into place, so that a running hub never serves half of a build.
  const made = join(root, "web", ".cache", `build-${process.pid}`);
  const ours = join(root, "node_modules", ".bin", "node");
  const vite = [join(root, "node_modules", "vite", "bin", "vite.js"), "build", "--logLevel", "warn"];
  const done = spawnSync(existsSync(ours) ? ours : process.execPath, [...vite, "--outDir", made, "--emptyOutDir"], {
    cwd: join(root, "web"),
    stdio: ["ignore", 2, 2],
    // Always the production build, also for tests: they test what people get.
    env: { ...process.env, NODE_ENV: "production" },
  });
  if (done.status !== 0) {
    rmSync(made, { recursive: true, force: true });
    return false;
  }
  compressAll(join(made, "assets"));
  writeFileSync(join(made, ".sources"), wanted);
  putInPlace(made, dist);
  return true;
}

/** Moves the build into place. Other processes may do the same at this moment, from the same sources; the last one stays. */
function putInPlace(made, dist) {
  for (let nth = 0; ; nth += 1) {
    const old = `${made}-old-${nth}`;
    try {
      if (existsSync(dist)) renameSync(dist, old);
      renameSync(made, dist);
      return;
    } catch (thrown) {
      if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(thrown.code) || !existsSync(made)) throw thrown;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}

/** Compresses as small as brotli can: it is done once, and read by everybody. */
function compressAll(folder) {
  for (const name of readdirSync(folder)) {
    if (!/\.(js|css|svg)$/.test(name)) continue;
    const plain = readFileSync(join(folder, name));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(plain, { params }));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !buildWeb()) process.exit(1);
