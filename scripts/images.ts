import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { errorLines, exitCodeOf, NestError, parseFlags, UsageError } from "@nest/kit";
import { makeBase } from "./images/base.ts";
import { buildImage, imageBytes } from "./images/build.ts";
import { type ImageName, images } from "./images/contexts.ts";

const run = promisify(execFile);
const BASE = "localhost/nest-base:trixie-1";

const USAGE = `npm run images: makes Nest's images with podman or docker

usage: npm run images [-- [flags] [NAME ...]]

names: ${Object.keys(images).join(", ")} (all of them unless some are named)

flags:
  -prefix P      what their names begin with (default NEST_IMAGE_PREFIX, else localhost)
  -tag T         their tag (default latest)
  -engine E      podman or docker (default NEST_CONTAINER_RUNTIME, else the first that is installed)
  -base IMAGE    the image that ours begin with (default: Debian, by digest)
  -base debian   makes that image out of Debian's packages, where no image registry is reached; takes root and debootstrap
  -agents P,…    agent CLIs for nest-relay, as npm packages with their versions

examples:
  npm run images -- nest-relay -agents @anthropic-ai/claude-code@2.1.197
  npm run images -- nest-relay -agents @openai/codex@0.169.0,@anthropic-ai/claude-code@2.1.197 -tag both

Manifests and commands name the images by NEST_IMAGE_PREFIX. To bring local ones to a cluster: podman save NAME | ssh NODE podman load
`;

process.exitCode = await main(process.argv.slice(2)).catch((thrown) => {
  for (const line of errorLines("images", thrown)) console.error(line);
  return exitCodeOf(thrown);
});

async function main(args: readonly string[]): Promise<number> {
  const kinds = { prefix: "text", tag: "text", engine: "text", base: "text", agents: "text" } as const;
  const { flags, words, help } = parseFlags(args, kinds, USAGE);
  if (help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const unknown = words.find((name) => !isImage(name));
  if (unknown !== undefined) throw new UsageError(`there is no image ${unknown}`, { usage: USAGE });
  const names = (words.length === 0 ? Object.keys(images) : words).filter(isImage);
  const engine = flags.engine ?? process.env.NEST_CONTAINER_RUNTIME ?? (await engineHere());
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "nest", "base-trixie-1");
  const base = flags.base === "debian" ? await makeBase({ engine, image: BASE, folder }) : flags.base;
  const options = {
    engine,
    base,
    prefix: flags.prefix ?? process.env.NEST_IMAGE_PREFIX ?? "localhost",
    tag: flags.tag ?? "latest",
    agents: (flags.agents ?? "").split(",").filter((one) => one !== ""),
  };
  for (const name of names) {
    console.error(`images: making ${name}`);
    const image = await buildImage(name, options).catch((thrown: unknown) => {
      throw failed(name, thrown);
    });
    console.log(`${image}  ${Math.round((await imageBytes(image, options)) / 1024 / 1024)} MiB`);
  }
  return 0;
}

function isImage(name: string): name is ImageName {
  return Object.hasOwn(images, name);
}

async function engineHere(): Promise<string> {
  for (const engine of ["podman", "docker"])
    if (await run(engine, ["--version"]).then(Boolean, () => false)) return engine;
  throw new NestError("no_container_runtime", "neither podman nor docker is installed", {
    hint: "install one of them, or name it with -engine",
  });
}

function failed(name: string, thrown: unknown): NestError {
  const { stderr = "" } = thrown as { stderr?: string };
  const last = stderr.trim().split("\n").slice(-5).join("\n");
  const isPull = /pull|registry|no such host|dial tcp/i.test(stderr);
  return new NestError("image_failed", `${name} could not be made:\n${last}`, {
    ...(isPull ? { hint: "no image registry is reached: -base debian makes the base out of Debian's packages" } : {}),
    cause: thrown,
  });
}
