import { execFile } from "node:child_process";
import { cp, mkdir, readdir, realpath, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..");

/**
 * Puts together what a nest's image holds: the programs' source, the packages that a spoke needs, the built browser app and Node. All of
 * it is taken from this checkout as it was set up, so that making an image needs no registry.
 */
export async function containerContext(out: string): Promise<void> {
  await run(process.execPath, [join(ROOT, "scripts/build-web.mjs")]);
  await rm(out, { recursive: true, force: true });
  await mkdir(join(out, "node_modules/.bin"), { recursive: true });
  for (const path of ["bin", "nest", "package.json", "deploy/container-host", "web/dist", ...(await packages())])
    await copy(path, out);
  const node = await realpath(join(ROOT, "node_modules/.bin/node"));
  await cp(node, join(out, "node_modules/.bin/node"));
}

/** Folders of the spoke's packages, ours and others', below the checkout's root. */
async function packages(): Promise<readonly string[]> {
  const asked = ["ls", "--workspace=@nest/spoke", "--omit=dev", "--all", "--parseable"];
  const { stdout } = await run("npm", asked, { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 });
  const listed = stdout.split("\n").filter((path) => path.includes("/node_modules/"));
  const ours = await Promise.all(listed.map((path) => realpath(path)));
  return [...new Set([...listed, ...ours].map((path) => relative(ROOT, path)))];
}

async function copy(path: string, out: string): Promise<void> {
  const isOurs = !path.startsWith("node_modules/");
  await cp(join(ROOT, path), join(out, path), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !isOurs || !/\.test\.ts$|\/node_modules$/.test(source),
  });
}

if (process.argv[1] === import.meta.filename) {
  const [out] = process.argv.slice(2);
  if (out === undefined) throw new Error("usage: container-context.ts FOLDER");
  await containerContext(out);
  process.stdout.write(`${(await readdir(out)).sort().join(" ")}\n`);
}
