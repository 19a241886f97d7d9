import { execFile, spawn } from "node:child_process";
import { access, cp, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { findBinary } from "@nest/agents";
import { sentenceOf } from "@nest/kit";
import { bundle } from "../../scripts/bundle.ts";
import type { FolderHere } from "./folder-here.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const CACHE = process.env.NEST_TEST_CACHE ?? join(homedir(), ".cache/nest-test");
const BASE_FOLDER = join(CACHE, "relay-base-2");
/** A small Debian with what our images need, so that none of them asks a registry. */
export const BASE_IMAGE = "localhost/nest-test-base:bookworm-2";
const BASE_PACKAGES = "bubblewrap,ca-certificates,curl,git,procps,tini,tmux,xz-utils";
const SLOW_MS = 400_000;

/** Why no contributor image can be built on this machine; undefined when one can. */
export async function whyNoImage(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return "making a base image takes root";
  for (const program of ["podman", "runc", "debootstrap"])
    if ((await findBinary(program, process.env.PATH)) === undefined) return `${program} is not installed`;
  return undefined;
}

/** Podman with storage of its own, kept between runs, set up for a machine inside a virtual one. */
export class PodmanHere {
  readonly environment: Readonly<Record<string, string>>;

  private constructor(environment: Readonly<Record<string, string>>) {
    this.environment = environment;
  }

  static async make(folder: FolderHere): Promise<PodmanHere> {
    const [containers, storage] = [folder.in("containers.conf"), folder.in("storage.conf")];
    const limits = 'default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]';
    const engine = ["[containers]", 'netns = "host"', limits, "[engine]", 'runtime = "runc"', 'events_logger = "file"'];
    await writeFile(containers, `${engine.join("\n")}\n`);
    const graph = join(CACHE, "podman");
    const places = ["[storage]", 'driver = "overlay"', `graphroot = "${graph}"`, `runroot = "${folder.in("run")}"`];
    await writeFile(storage, `${places.join("\n")}\n`);
    return new PodmanHere({ CONTAINERS_CONF: containers, CONTAINERS_STORAGE_CONF: storage });
  }

  async run(...args: readonly string[]): Promise<string> {
    const env = { PATH: process.env.PATH, HOME: homedir(), ...this.environment };
    const { stdout } = await run("podman", args, { env, timeout: SLOW_MS, maxBuffer: 64 * 1024 * 1024 });
    return stdout.trim();
  }

  /** Why not even an empty container runs here, or no base can be had; undefined when one runs. */
  async whyNoContainers(): Promise<string | undefined> {
    return this.#base()
      .then(() => this.run("run", "--rm", BASE_IMAGE, "true"))
      .then(
        () => undefined,
        (thrown: unknown) => sentenceOf(thrown),
      );
  }

  /** Builds the contributor's image with deploy/relay/Containerfile, and one with this agent in it on top. Answers with its name. */
  async build(folder: FolderHere, agent: string): Promise<string> {
    await bundle(folder.in("context/dist"));
    const mirror = await nodeMirror(folder);
    try {
      const args = [`BASE=${BASE_IMAGE}`, `NODE_VERSION=${process.versions.node}`, `NODE_MIRROR=${mirror.url}`];
      const file = join(ROOT, "deploy/relay/Containerfile");
      await this.run(
        ...["build", "--layers=false", "--network=host", "-f", file, "-t", "localhost/nest-relay:test"],
        ...args.flatMap((arg) => ["--build-arg", arg]),
        folder.in("context"),
      );
    } finally {
      await mirror.close();
    }
    await cp(agent, folder.in("context/claude"));
    await writeFile(
      folder.in("context/Containerfile"),
      "FROM localhost/nest-relay:test\nCOPY --chmod=0755 claude /usr/local/bin/claude\n",
    );
    await this.run("build", "--layers=false", "-t", "localhost/nest-relay-with-agent:test", folder.in("context"));
    return "localhost/nest-relay-with-agent:test";
  }

  async #base(): Promise<void> {
    if (
      await this.run("image", "exists", BASE_IMAGE).then(
        () => true,
        () => false,
      )
    )
      return;
    if (!(await isThere(BASE_FOLDER))) await debootstrap();
    await pipe(["tar", "-C", BASE_FOLDER, "-c", "."], ["podman", "import", "-", BASE_IMAGE], this.environment);
  }
}

/** A small Debian of its own in the cache; whole or not at all. */
async function debootstrap(): Promise<void> {
  const making = `${BASE_FOLDER}.${process.pid}`;
  await mkdir(dirname(making), { recursive: true });
  try {
    await run("debootstrap", ["--variant=minbase", `--include=${BASE_PACKAGES}`, "bookworm", making], {
      timeout: SLOW_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    await rename(making, BASE_FOLDER);
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

/** Serves this machine's Node and npm on loopback as the Node project serves its own: an archive and its checksum. */
async function nodeMirror(folder: FolderHere): Promise<{ url: string; close(): Promise<void> }> {
  const { node } = process.versions;
  const name = `node-v${node}-linux-${process.arch === "x64" ? "x64" : "arm64"}`;
  const archive = join(CACHE, `${name}.tar.xz`);
  if (!(await isThere(archive))) {
    const tree = folder.in("node", name);
    const { stdout: modules } = await run("npm", ["root", "-g"]);
    await mkdir(join(tree, "bin"), { recursive: true });
    await cp(process.execPath, join(tree, "bin/node"), { dereference: true });
    await cp(join(modules.trim(), "npm"), join(tree, "lib/node_modules/npm"), { recursive: true });
    await symlink("../lib/node_modules/npm/bin/npm-cli.js", join(tree, "bin/npm"));
    const made = folder.in("node.tar.xz");
    await run("tar", ["-C", folder.in("node"), "-I", "xz -0 -T2", "-cf", made, name]);
    await cp(made, `${archive}.${process.pid}`);
    await rename(`${archive}.${process.pid}`, archive);
  }
  const { stdout: sum } = await run("sha256sum", [archive]);
  const server = createServer(async (request, response) => {
    if (request.url === `/v${node}/${name}.tar.xz`) response.end(await readFile(archive));
    else response.end(`${sum.split(" ")[0]}  ${name}.tar.xz\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function pipe(from: readonly string[], to: readonly string[], environment: Readonly<Record<string, string>>) {
  const env = { PATH: process.env.PATH, HOME: homedir(), ...environment };
  const [source, sink] = [from, to].map(([program = "", ...args], at) =>
    spawn(program, args, { env, stdio: [at === 0 ? "ignore" : "pipe", at === 0 ? "pipe" : "ignore", "ignore"] }),
  );
  if (source?.stdout && sink?.stdin) source.stdout.pipe(sink.stdin);
  return new Promise<void>((resolve, reject) =>
    sink?.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`${to.join(" ")} ended with ${code}`)))),
  );
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
