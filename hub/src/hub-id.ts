import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Environment, isAbsent, makePrivateFolder, type Random, variable, writeFileAtomic } from "@nest/kit";

/** The file in which a pod finds its namespace. */
const NAMESPACE_FILE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/**
 * Gives a hub its id at its first start, in `<data>/saas/hub-id`: its namespace, or else a random one. Backups are named by
 * it, so that hubs that share a bucket never prune each other's. An existing id stays, even when the hub moves or is restored
 * elsewhere.
 */
export async function makeHubId(
  dataDir: string,
  from: { readonly environment: Environment; readonly random: Random; readonly namespaceFile?: string },
): Promise<void> {
  const folder = join(dataDir, "saas");
  const path = join(folder, "hub-id");
  if ((await textOf(path)) !== undefined) return;
  const namespace =
    variable(from.environment, "NEST_HUB_NAMESPACE") ?? (await textOf(from.namespaceFile ?? NAMESPACE_FILE));
  await makePrivateFolder(folder);
  await writeFileAtomic(path, `${namespace ?? `hub-${from.random.hex(8)}`}\n`);
}

/** The trimmed text of a file; undefined for an absent or empty one. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).trim() || undefined;
  } catch (thrown) {
    if (isAbsent(thrown) || (thrown as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw thrown;
  }
}
