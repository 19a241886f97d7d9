import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { promisify } from "node:util";
import { parseFlags } from "@nest/kit";
import { rolldown } from "rolldown";
import { digestOf } from "./source-digest.mjs";

const ROOT = join(import.meta.dirname, "..");
const CONTRIBUTE = ["contribute-setup", "contribute-check", "contribute-hive", "contribute-nest", "contribute-k8s"];
/** Optional native accelerators of `ws`; it works without them. */
const OPTIONAL = ["bufferutil", "utf-8-validate"];
/** Modules without side effects: what nobody uses of them is left out of a bundle, and so out of a relay's memory. */
const INERT = /[\\/](?:protocol|kit|agents)[\\/]src[\\/]|[\\/]node_modules[\\/](?:zod|yaml|pino)[\\/]/;

/** A young heap of 1 MiB is plenty for a program that mostly waits. As in `bin/.launch`, nothing is compiled on a thread that an exit would wait for. */
const RELAY_START = "#!/usr/bin/env -S node --no-concurrent-sparkplug --max-semi-space-size=1";

const BACKUP_START =
  "#!/usr/bin/env -S node --no-concurrent-sparkplug --no-concurrent-recompilation --disable-warning=ExperimentalWarning";
/** The package runs on older Nodes than the backup tool does: that one says so instead of failing somewhere inside. */
const BACKUP_FROM_PACKAGE = `${BACKUP_START}
import { fileURLToPath } from "node:url";
if (Number(process.versions.node.split(".")[0]) < 24) {
  console.error("nest-backup: error: Node " + process.versions.node + " is too old for archives");
  console.error("nest-backup: hint: run it with Node 24 or newer; the relay's commands work with this one");
  process.exit(2);
}
process.argv[1] = fileURLToPath(new URL("../nest-backup.mjs", import.meta.url));
await import("../nest-backup.mjs");
`;

interface Program {
  readonly input: string;
  readonly file: string;
  /** The oldest Node that it runs on. */
  readonly node: number;
  /** The first line. */
  readonly start: string;
}

export interface Bundle {
  readonly version: string;
  /** What `npm i -g` takes. */
  readonly tarball: string;
  readonly relay: string;
  readonly backup: string;
  /** The files that it was made of, from the checkout's root on. */
  readonly sources: readonly string[];
}

/**
 * Makes the relay and the backup tool, one file each, and of both a package without dependencies. The same source,
 * lockfile and npm give the same bytes, whatever the folder and the hour.
 */
export async function bundle(out: string): Promise<Bundle> {
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { version: string };
  const folder = join(out, "nest-relay");
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "bin"), { recursive: true });
  const relay = join(folder, "nest-relay.mjs");
  const program = { input: "scripts/bundled-relay.ts", file: relay, node: 20, start: RELAY_START };
  const ofRelay = await oneFile(program, version);
  const backup = join(out, "nest-backup.mjs");
  const ofBackup = await oneFile({ input: "backup/src/main.ts", file: backup, node: 24, start: BACKUP_START }, version);
  const modules = [...ofRelay, ...ofBackup];
  await writeFile(join(out, "nest-backup.THIRD-PARTY-NOTICES.txt"), await noticesOf(ofBackup));
  await writeFile(join(folder, "THIRD-PARTY-NOTICES.txt"), await noticesOf(modules));
  await copyFile(backup, join(folder, "nest-backup.mjs"));
  await writeFile(join(folder, "bin", "nest-backup.mjs"), BACKUP_FROM_PACKAGE, { mode: 0o755 });
  await writeFile(join(folder, "README.md"), await readFile(join(ROOT, "docs/contributing-a-machine.md")));
  await writeFile(join(folder, "package.json"), `${JSON.stringify(packageOf(version), undefined, 2)}\n`);
  for (const name of CONTRIBUTE) {
    // As if `relay` had been typed: a relay that restarts itself uses these arguments.
    const lines = [
      RELAY_START,
      'import { fileURLToPath } from "node:url";',
      `process.argv.splice(1, 1, fileURLToPath(new URL("../nest-relay.mjs", import.meta.url)), "${name}");`,
      'await import("../nest-relay.mjs");',
    ];
    const text = `${lines.join("\n")}\n`;
    await writeFile(join(folder, "bin", `${name}.mjs`), text, { mode: 0o755 });
  }
  const pack = ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", out];
  await promisify(execFile)("npm", pack, { cwd: folder });
  const tarball = join(out, `nest-relay-${version}.tgz`);
  return { version, tarball, relay, backup, sources: sourcesOf(modules) };
}

function packageOf(version: string): object {
  return {
    name: "nest-relay",
    version,
    description: "Lends this machine's agent CLI to the issues of one or more Nest hubs.",
    license: "UNLICENSED",
    private: true,
    type: "module",
    engines: { node: ">=20" },
    bin: {
      "nest-relay": "nest-relay.mjs",
      "nest-backup": "bin/nest-backup.mjs",
      ...Object.fromEntries(CONTRIBUTE.map((name) => [name, `bin/${name}.mjs`])),
    },
  };
}

/** Writes a program with everything that it imports; answers with the modules that it is made of. */
async function oneFile({ input, file, node, start }: Program, version: string): Promise<readonly string[]> {
  const build = await rolldown({
    input,
    cwd: ROOT,
    platform: "node",
    external: OPTIONAL,
    treeshake: { moduleSideEffects: (id) => !INERT.test(id) },
    transform: {
      target: `node${node}`,
      // A module that asks whether it is the main program must get no: only the bundle's own entry is.
      define: { "import.meta.main": "false", BUNDLE_VERSION: JSON.stringify(version) },
    },
  });
  const { output } = await build.write({ file, format: "esm", codeSplitting: false, banner: start });
  await build.close();
  await chmod(file, 0o755);
  const [chunk, ...others] = output;
  if (others.length > 0) throw new Error(`${file}: became ${output.length} files`);
  // One byte a character in memory, also where the source draws ticks and dots.
  await writeFile(file, asciiOnly(chunk.code), { mode: 0o755 });
  if (chunk.code.includes(ROOT)) throw new Error(`${file}: holds a path of this machine`);
  return chunk.moduleIds;
}

/** The same program in ASCII: everything else stands in strings, patterns and comments, where an escape means the same. */
function asciiOnly(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Name, version and licence text of every package that modules come from. */
async function noticesOf(modules: readonly string[]): Promise<string> {
  const inPackages = `${sep}node_modules${sep}`;
  const folders = new Set<string>();
  for (const id of modules) {
    const at = id.lastIndexOf(inPackages);
    if (at === -1) continue;
    const [scope = "", name = ""] = id.slice(at + inPackages.length).split(sep);
    folders.add(id.slice(0, at) + inPackages + (scope.startsWith("@") ? join(scope, name) : scope));
  }
  const notices = await Promise.all([...folders].map(noticeOf));
  return `${notices.sort().join(`\n${"-".repeat(80)}\n\n`)}`;
}

async function noticeOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Record<
    string,
    string
  >;
  const file = (await readdir(folder)).find((one) => /^(?:licen[cs]e|copying)/i.test(one));
  const text = file === undefined ? "" : `\n${(await readFile(join(folder, file), "utf8")).trim()}\n`;
  return `${name} ${version} (${license})\n${text}`;
}

/** The modules that lie in the checkout, what its other parts are made of, and the recipe; the lock file stands for packages. */
function sourcesOf(modules: readonly string[]): readonly string[] {
  const own = modules
    .filter((id) => id.startsWith(ROOT + sep) && !id.includes(`${sep}node_modules${sep}`))
    .map((id) => relative(ROOT, id));
  const others = ["scripts/bundle.ts", "package.json", "package-lock.json", "docs/contributing-a-machine.md"];
  return [...new Set([...own, ...others])].sort();
}

if (import.meta.main) {
  const { flags } = parseFlags(process.argv.slice(2), { out: "text", quiet: "switch" });
  const out = resolve(flags.out ?? join(ROOT, "dist"));
  const made = await bundle(out);
  // What a hub hands out, and what tells whether it is still up to date (`scripts/build-relay.mjs`).
  const handedOut = join(out, "relay.tgz");
  await copyFile(made.tarball, `${handedOut}.part`);
  await rename(`${handedOut}.part`, handedOut);
  const note = { files: made.sources, digest: digestOf(made.sources) };
  await writeFile(join(out, "relay.sources.json"), `${JSON.stringify(note, undefined, 2)}\n`);
  if (flags.quiet !== true) for (const file of [made.relay, made.tarball, made.backup]) console.log(file);
}
