import { execFile } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { findBinary } from "@nest/agents";
import { sentenceOf } from "@nest/kit";
import { makeBase } from "../../scripts/images/base.ts";
import { buildImage } from "../../scripts/images/build.ts";
import type { ImageName } from "../../scripts/images/contexts.ts";
import type { FolderHere } from "./folder-here.ts";

const run = promisify(execFile);
const CACHE = process.env.NEST_TEST_CACHE ?? join(homedir(), ".cache/nest-test");
const BASE_FOLDER = join(CACHE, "base-trixie-1");
/** A small Debian with what our images need, so that none of them asks a registry. */
export const BASE_IMAGE = "localhost/nest-test-base:trixie-1";
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

  /** The tag of the images that are made for one test, so that no other test takes them away. */
  readonly tag: string;

  private constructor(environment: Readonly<Record<string, string>>, tag: string) {
    this.environment = environment;
    this.tag = tag;
  }

  static async make(folder: FolderHere): Promise<PodmanHere> {
    const [containers, storage] = [folder.in("containers.conf"), folder.in("storage.conf")];
    const limits = 'default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]';
    const engine = ["[containers]", 'netns = "host"', limits, "[engine]", 'runtime = "runc"', 'events_logger = "file"'];
    await writeFile(containers, `${engine.join("\n")}\n`);
    const graph = join(CACHE, "podman");
    const places = ["[storage]", 'driver = "overlay"', `graphroot = "${graph}"`, `runroot = "${folder.in("run")}"`];
    await writeFile(storage, `${places.join("\n")}\n`);
    return new PodmanHere(
      { CONTAINERS_CONF: containers, CONTAINERS_STORAGE_CONF: storage },
      basename(folder.path).toLowerCase(),
    );
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

  /** Makes an image of ours; answers with its name. */
  async image(name: ImageName): Promise<string> {
    await this.#base();
    const environment = { PATH: process.env.PATH, HOME: homedir(), ...this.environment };
    return buildImage(name, { engine: "podman", environment, base: BASE_IMAGE, prefix: "localhost", tag: this.tag });
  }

  /** Makes the contributor's image, and one with these agents in it on top. Answers with its name. */
  async build(folder: FolderHere, agents: Readonly<Record<string, string>>): Promise<string> {
    const image = await this.image("nest-relay");
    await mkdir(folder.in("context"), { recursive: true });
    const lines = [`FROM ${image}`];
    for (const [name, file] of Object.entries(agents)) {
      await cp(file, folder.in("context", name));
      lines.push(`COPY --chmod=0755 ${name} /usr/local/bin/${name}`);
    }
    await writeFile(folder.in("context/Containerfile"), `${lines.join("\n")}\n`);
    const whole = `localhost/nest-relay-with-agent:${this.tag}`;
    await this.run("build", "--layers=false", "-t", whole, folder.in("context"));
    return whole;
  }

  /** Removes the images that were made for this test. */
  async removeImages(): Promise<void> {
    const all = (await this.run("images", "--format", "{{.Repository}}:{{.Tag}}")).split("\n");
    for (const image of all.filter((one) => one.includes(`:${this.tag}`)))
      await this.run("rmi", "-f", image).catch(() => undefined);
  }

  async #base(): Promise<void> {
    const environment = { PATH: process.env.PATH, HOME: homedir(), ...this.environment };
    await makeBase({ engine: "podman", environment, image: BASE_IMAGE, folder: BASE_FOLDER });
  }
}
