import { execFile, spawn } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { type Environment, NestError } from "@nest/kit";

const run = promisify(execFile);
/** Prints where the programs are that it built; builds them first when they are not there yet. */
export const BUILD_SERVER = join(import.meta.dirname, "../../server/build.sh");

const NAMES = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "stub-kubelet"] as const;

/** The programs of which an API server consists, by name: where each of them is. */
export type ServerPrograms = Readonly<Record<(typeof NAMES)[number], string>>;

/** The programs of one Kubernetes release belong together; etcd and our own stub fit each. */
const RELEASE = /\bv1\.36\./;

async function builtPrograms(environment: Environment): Promise<ServerPrograms | undefined> {
  const said = await run(BUILD_SERVER, ["-where"], { env: environment }).catch(() => undefined);
  return said === undefined ? undefined : programsIn(said.stdout.trim());
}

/**
 * The programs of the API server that are on this machine: from `KUBEBUILDER_ASSETS` and PATH where they are of the release that
 * fits, else those that were built. Undefined when some are in neither.
 */
export async function findPrograms(environment: Environment): Promise<ServerPrograms | undefined> {
  const folders = [environment.KUBEBUILDER_ASSETS, ...(environment.PATH ?? "").split(delimiter)].filter(
    (folder): folder is string => folder !== undefined && folder !== "",
  );
  const built = await builtPrograms(environment);
  const found: Partial<Record<keyof ServerPrograms, string>> = { ...built };
  for (const name of NAMES) {
    const here = await firstIn(folders, name);
    if (here !== undefined) found[name] = here;
  }
  return isWhole(found) ? found : undefined;
}

/**
 * Builds the programs with the Go toolchain of this machine: about ten minutes on two cores, once.
 *
 * @throws NestError `local_cluster_failed` with the end of what the build said; the signal's reason when it ends first.
 */
export async function buildPrograms(environment: Environment, signal: AbortSignal): Promise<ServerPrograms> {
  const child = spawn(BUILD_SERVER, [], { env: environment, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const end = () => {
    // The compiler's processes are in its group.
    if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
  };
  signal.addEventListener("abort", end, { once: true });
  let [folder, said] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (folder += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-2000)));
  const code = await new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", resolve);
  });
  signal.removeEventListener("abort", end);
  signal.throwIfAborted();
  if (code === 0) return programsIn(folder.trim());
  const last = said.trim().split("\n").slice(-3).join(" ");
  throw new NestError(
    "local_cluster_failed",
    `the API server could not be built: ${last || "the build did not start"}`,
    {
      hint: `run ${BUILD_SERVER} to see why`,
    },
  );
}

/** The programs as they lie in one folder. */
export function programsIn(folder: string): ServerPrograms {
  return Object.fromEntries(NAMES.map((name) => [name, join(folder, name)])) as Record<(typeof NAMES)[number], string>;
}

async function firstIn(folders: readonly string[], name: (typeof NAMES)[number]): Promise<string | undefined> {
  for (const folder of folders) {
    const file = join(folder, name);
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere && (await fits(name, file))) return file;
  }
  return undefined;
}

async function fits(name: (typeof NAMES)[number], file: string): Promise<boolean> {
  if (!name.startsWith("kube-")) return true;
  const said = await run(file, ["--version"], { timeout: 10_000 }).catch(() => undefined);
  return RELEASE.test(said?.stdout ?? "");
}

function isWhole(found: Partial<Record<keyof ServerPrograms, string>>): found is ServerPrograms {
  return NAMES.every((name) => found[name] !== undefined);
}
