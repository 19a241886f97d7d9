import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { Environment } from "@nest/kit";
import { BUILD_SERVER, findPrograms, type ServerPrograms } from "./api-server/programs.ts";

const run = promisify(execFile);
const SLOW_MS = 60_000;

/** Something without which no nest can run here, in a sentence, and the command that brings it. */
export interface MissingHere {
  readonly what: string;
  readonly command?: string;
}

/** What this machine has of what a local cluster is made of. */
export interface PartsHere {
  readonly missing: readonly MissingHere[];
  /** The API server's programs; undefined: they can be built, unless that is among what is missing. */
  readonly programs: ServerPrograms | undefined;
}

/** Looks for all that a local cluster needs: everything that is missing is told at once. */
export async function findParts(image: string, environment: Environment): Promise<PartsHere> {
  const programs = await findPrograms(environment);
  const has = (program: string) => isOnPath(program, environment);
  const missing: MissingHere[] = [];
  if (process.platform !== "linux") missing.push({ what: "pods run on Linux only" });
  else if (process.getuid?.() !== 0)
    missing.push({
      what: "pods get a network of their own, which only root may make",
      command: "sudo npm start -- -hosted",
    });
  if (programs === undefined && !(await has("go")))
    missing.push({
      what: "the Kubernetes API server is not on this machine, and there is no Go toolchain to build it (https://go.dev/dl)",
      command: BUILD_SERVER,
    });
  if (!(await has("ip"))) missing.push({ what: "ip is not installed", command: "apt-get install iproute2" });
  if (!(await has("podman"))) missing.push({ what: "podman is not installed", command: "apt-get install podman" });
  // Images belong to who made them: those of another user say nothing about root's.
  else if (process.getuid?.() === 0) missing.push(...(await missingOfImage(image, environment)));
  return { missing, programs };
}

async function missingOfImage(image: string, environment: Environment): Promise<readonly MissingHere[]> {
  const podman = (...args: readonly string[]) => run("podman", args, { env: environment, timeout: SLOW_MS });
  try {
    await podman("image", "exists", image);
  } catch (thrown) {
    const { code } = thrown as { readonly code?: unknown };
    if (code !== 1) return [{ what: `podman does not work here: ${lastLine(thrown)}`, command: "podman info" }];
    return [{ what: `the image of nests, ${image}, is not on this machine`, command: "npm run images -- nest-spoke" }];
  }
  const trial = ["run", "--rm", "--network", "none", "--pull", "never", "--entrypoint", "true", image];
  return podman(...trial).then(
    () => [],
    (thrown: unknown) => [
      { what: `podman starts no container here: ${lastLine(thrown)}`, command: `podman ${trial.join(" ")}` },
    ],
  );
}

function lastLine(thrown: unknown): string {
  const { stderr = String(thrown) } = thrown as { readonly stderr?: string };
  return stderr.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
}

async function isOnPath(program: string, { PATH = "" }: Environment): Promise<boolean> {
  for (const folder of PATH.split(delimiter).filter(Boolean))
    if (
      await access(join(folder, program), constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return true;
  return false;
}
