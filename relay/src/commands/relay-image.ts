import { type Environment, NestError, plainLine, UsageError, variable } from "@nest/kit";
import type { CommandDeps } from "./command.ts";

const LOCAL = "localhost";

/**
 * The relay's image without its tag: `NEST_RELAY_IMAGE`, else `nest-relay` below `NEST_IMAGE_PREFIX`.
 *
 * @throws UsageError where one of them is no name.
 */
export function relayImage(environment: Environment): string {
  const prefix = (variable(environment, "NEST_IMAGE_PREFIX") ?? LOCAL).replace(/\/+$/, "");
  const named = variable(environment, "NEST_RELAY_IMAGE");
  return named === undefined
    ? checkedImage(`${prefix}/nest-relay`, "NEST_IMAGE_PREFIX")
    : checkedImage(named, "NEST_RELAY_IMAGE");
}

/** A name as registries have them: nothing that a program could take for a flag. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:@/-]*$/;

/** @throws UsageError for what is no name of an image. */
export function checkedImage(image: string, from: string): string {
  if (NAME.test(image)) return image;
  throw new UsageError(`${from}: "${plainLine(image).slice(0, 100)}" is no name of an image`, {
    hint: "REGISTRY/NAME, with :TAG or @DIGEST where it has one",
  });
}

/** The image with a tag: its own where it has one, or is named by digest. */
export function tagged(image: string, tag = "latest"): string {
  return /[:@][^/]*$/.test(image) ? image : `${image}:${tag}`;
}

/** Whether no registry has the image: it has to be made on the machine that runs it. */
export function isLocal(image: string): boolean {
  return image.startsWith(`${LOCAL}/`);
}

/** How a person gets the image, in one sentence. */
export function howToGet(image: string, agentPackage: string | undefined): string {
  const agents = agentPackage === undefined ? "" : ` -agents ${agentPackage}`;
  return isLocal(image)
    ? `make it in a checkout of Nest with npm run images -- nest-relay${agents}, or set NEST_IMAGE_PREFIX to a registry that has it`
    : `look whether ${image} is spelled as in its registry, and whether the runtime is signed in there`;
}

/**
 * Makes sure that an image which no registry has is on this machine. One of a registry is fetched by the runtime itself.
 *
 * @throws NestError `relay_image_missing`.
 */
export async function requireImage(
  runtime: string,
  image: string,
  agentPackage: string | undefined,
  deps: CommandDeps,
): Promise<void> {
  if (!isLocal(image)) return;
  if ((await deps.read(runtime, ["image", "inspect", "--format", "{{.Id}}", image])) !== undefined) return;
  throw new NestError("relay_image_missing", `there is no image ${image} on this machine`, {
    hint: howToGet(image, agentPackage),
  });
}
