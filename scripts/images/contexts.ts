import { execFile } from "node:child_process";
import { chmod, cp, mkdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { bundle } from "../bundle.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");

/** Debian packages that every image has programs of. */
export const ALWAYS = [
  ...[
    "base-files",
    "bash",
    "ca-certificates",
    "coreutils",
    "dash",
    "diffutils",
    "findutils",
    "grep",
    "gzip",
    "hostname",
  ],
  ...["libc-bin", "mawk", "ncurses-base", "sed", "tar", "tini"],
];

/** Debian packages of each image besides those. */
export const images = {
  "nest-hub": { packages: [] },
  "nest-spoke": { packages: ["bubblewrap", "gettext-base", "git", "procps", "tmux"] },
  "nest-backup": { packages: [] },
  "nest-relay": { packages: ["bubblewrap", "curl", "gettext-base", "git", "procps", "tmux"] },
} as const satisfies Record<string, { readonly packages: readonly string[] }>;
export type ImageName = keyof typeof images;

/** Types, source maps and manuals: nothing reads them where a program only runs. Licences stay. */
const UNREAD = /\.(?:d\.[cm]?ts|map|markdown)$|(?<!LICEN[CS]E)(?<!license)\.md$|\.test\.ts$/;

/**
 * Puts together what an image holds in a folder: the program with the packages that it needs, and Node. All of it is taken from this
 * checkout as it was set up, so that making an image asks no registry but Debian's.
 *
 * @param agents npm packages of agent CLIs with their versions, for the relay.
 */
export async function imageContext(name: ImageName, out: string, agents: readonly string[] = []): Promise<void> {
  await rm(out, { recursive: true, force: true });
  await mkdir(join(out, "bin"), { recursive: true });
  if (name === "nest-hub") await hubFromSource(out);
  else if (name === "nest-spoke") await fromSource(out, "@nest/spoke", ["web/dist", "deploy/container-host"]);
  else await fromBundle(name, out, agents);
}

/** A hub hands out the relay's package and the guide for contributors. */
async function hubFromSource(out: string): Promise<void> {
  await run(process.execPath, [join(ROOT, "scripts/build-relay.mjs")]);
  const guide = "docs/contributing-a-machine.md";
  await cp(join(ROOT, guide), join(out, guide));
  await fromSource(out, "@nest/hub", ["web/dist", "dist/relay.tgz"]);
}

/** A server runs from its source, as in a checkout. */
async function fromSource(out: string, program: string, more: readonly string[]): Promise<void> {
  await run(process.execPath, [join(ROOT, "scripts/build-web.mjs")]);
  await mkdir(join(out, "node_modules/.bin"), { recursive: true });
  for (const path of ["bin", "nest", "package.json", ...more, ...(await packagesOf(program))]) await copy(path, out);
  await copyNode(join(out, "node_modules/.bin/node"));
  // What a health check needs, without starting a second server.
  const check = `#!/bin/sh\nexec /opt/nest/node_modules/.bin/node -e 'fetch(process.argv[1]).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))' "$1"\n`;
  await writeFile(join(out, "bin/nest-health"), check, { mode: 0o755 });
}

/** The relay and the backup tool are one file each. */
async function fromBundle(name: ImageName, out: string, agents: readonly string[]): Promise<void> {
  const made = await bundle(join(out, "made"));
  await copyNode(join(out, "bin/node"));
  if (name === "nest-backup") {
    await cp(made.backup, join(out, "bin/nest-backup"));
    await chmod(join(out, "bin/nest-backup"), 0o755);
  } else {
    await cp(join(out, "made/nest-relay"), join(out, "relay"), { recursive: true, filter: isOfRelay });
    await linkCommands(out);
    if (agents.length > 0) await installAgents(out, agents);
  }
  await rm(join(out, "made"), { recursive: true, force: true });
}

/** Archives have an image of their own. */
function isOfRelay(path: string): boolean {
  return !/nest-backup\.mjs$/.test(path);
}

async function linkCommands(out: string): Promise<void> {
  const { bin } = (await import(join(out, "relay/package.json"), { with: { type: "json" } })).default as {
    bin: Record<string, string>;
  };
  for (const [command, file] of Object.entries(bin).filter(([, file]) => isOfRelay(file))) {
    await symlink(join("../relay", file), join(out, "bin", command));
    await chmod(join(out, "relay", file), 0o755);
  }
}

async function installAgents(out: string, agents: readonly string[]): Promise<void> {
  const flags = ["install", "--global", "--prefix", join(out, "agents"), "--loglevel=error", "--no-fund", "--no-audit"];
  await run("npm", [...flags, ...agents], { maxBuffer: 16 * 1024 * 1024 });
}

/** Folders of a program's packages, ours and others', below the checkout's root. */
async function packagesOf(program: string): Promise<readonly string[]> {
  const asked = ["ls", `--workspace=${program}`, "--omit=dev", "--all", "--parseable"];
  const { stdout } = await run("npm", asked, { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 });
  const listed = stdout.split("\n").filter((path) => path.includes("/node_modules/"));
  const ours = await Promise.all(listed.map((path) => realpath(path)));
  return [...new Set([...listed, ...ours].map((path) => relative(ROOT, path)))].filter((path) => !isTypes(path));
}

function isTypes(path: string): boolean {
  return /node_modules\/@types\/|node_modules\/@octokit\/openapi-|node_modules\/undici-types$/.test(path);
}

async function copy(path: string, out: string): Promise<void> {
  const isOurs = !path.startsWith("node_modules/");
  await cp(join(ROOT, path), join(out, path), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !UNREAD.test(source) && !(isOurs && source.endsWith("/node_modules")),
  });
}

/** Without the tables that only a debugger reads, where this machine can take them out. */
async function copyNode(to: string): Promise<void> {
  await cp(await realpath(join(ROOT, "node_modules/.bin/node")), to);
  await run("strip", [to]).catch(() => undefined);
}
