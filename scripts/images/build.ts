import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ALWAYS, type ImageName, imageContext, images } from "./contexts.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const MEGABYTES = 64 * 1024 * 1024;

export interface BuildOptions {
  /** `podman` or `docker`, with the environment that it runs in. */
  readonly engine: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The image that ours begin with; the Containerfile's own unless given. */
  readonly base?: string | undefined;
  /** What names begin with: `localhost`, `registry.example.org/team`. */
  readonly prefix: string;
  readonly tag: string;
  /** npm packages of agent CLIs for the relay. */
  readonly agents?: readonly string[];
}

/** Makes one image; answers with its name. @throws Error with what the engine said. */
export async function buildImage(name: ImageName, options: BuildOptions): Promise<string> {
  const { engine, environment = process.env, base, prefix, tag, agents = [] } = options;
  const context = await mkdtemp(join(tmpdir(), `${name}-`));
  try {
    await imageContext(name, join(context, "nest"), agents);
    await cp(join(ROOT, "deploy/images/keep"), join(context, "keep"));
    const full = `${prefix.replace(/\/+$/, "")}/${name}:${tag}`;
    const values = {
      PACKAGES: [...ALWAYS, ...images[name].packages].join(" "),
      VERSION: await versionHere(),
      REVISION: await revisionHere(),
      ...(base === undefined ? {} : { BASE: base }),
    };
    const given = Object.entries(values).flatMap(([key, value]) => ["--build-arg", `${key}=${value}`]);
    // Health checks are a word of Docker's format. Without layers nothing of the stages before is kept.
    const own = engine.endsWith("podman") ? ["--format", "docker", "--layers=false"] : [];
    const file = join(ROOT, "deploy/images/Containerfile");
    const args = ["build", ...own, "--network=host", "--target", name, "-f", file, ...given, "-t", full, context];
    await run(engine, args, { env: environment, maxBuffer: MEGABYTES });
    return full;
  } finally {
    await rm(context, { recursive: true, force: true });
  }
}

/** Bytes of an image, as the engine counts them. */
export async function imageBytes(
  image: string,
  { engine, environment = process.env }: Pick<BuildOptions, "engine" | "environment">,
): Promise<number> {
  const { stdout } = await run(engine, ["image", "inspect", "--format", "{{.Size}}", image], { env: environment });
  return Number(stdout.trim());
}

async function versionHere(): Promise<string> {
  return (JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { version: string }).version;
}

async function revisionHere(): Promise<string> {
  return run("git", ["rev-parse", "HEAD"], { cwd: ROOT }).then(
    ({ stdout }) => stdout.trim(),
    () => "unknown",
  );
}
