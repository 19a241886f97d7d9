import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Environment, isAbsent, makePrivateFolder, type Random, variable, writeFileAtomic } from "@nest/kit";

/** Where a pod finds the name of its namespace. */
const NAMESPACE_FILE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/**
 * Gives a hub its name at its first boot, in `<data>/saas/hub-id`: its namespace, else a random one. Backups go by it, so that hubs
 * that share a bucket never prune each other. A name that is there stays, also when the hub moves or is restored elsewhere.
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

/** The words in a file; undefined for an absent or empty one. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).trim() || undefined;
  } catch (thrown) {
    if (isAbsent(thrown) || (thrown as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw thrown;
  }
}
