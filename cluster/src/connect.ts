import { accessSync, constants } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { NestError } from "@nest/kit";
import { KubernetesCluster } from "./kubernetes.ts";
import type { ManagedCluster } from "./managed.ts";
import type { Timing } from "./requests.ts";

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * The cluster in which this process runs, by the service account mounted into its pod. Its token is read again, because the
 * cluster renews it. `root` is the root of the pod's file system.
 *
 * @throws NestError `cluster_not_configured` when the pod has no service account.
 */
export function ownCluster(root = "", timing: Partial<Timing> = {}): ManagedCluster {
  for (const name of ["token", "ca.crt"]) {
    const file = join(root, ACCOUNT, name);
    try {
      accessSync(file, constants.R_OK);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      throw new NestError("cluster_not_configured", `the pod's service account is not mounted: ${file} (${code})`, {
        hint: "set serviceAccountName, and do not turn automountServiceAccountToken off",
        cause,
      });
    }
  }
  const read = () => {
    const config = new KubeConfig();
    config.loadFromCluster(root);
    return config;
  };
  return new KubernetesCluster(read(), { ...timing, read });
}

/**
 * The cluster of a kubeconfig file, in the given context or else the file's current one. No other file is read. The file is read
 * again when the cluster refuses its credentials.
 *
 * @throws NestError `kubeconfig_unusable` when the file does not exist, is invalid, or lacks the context.
 */
export async function clusterOf(file: string, context?: string, timing: Partial<Timing> = {}): Promise<ManagedCluster> {
  const read = () => configIn(file, context);
  return new KubernetesCluster(await read(), { ...timing, read });
}

async function configIn(file: string, context: string | undefined): Promise<KubeConfig> {
  const config = new KubeConfig();
  try {
    config.loadFromString(await readFile(file, "utf8"));
    config.makePathsAbsolute(file.replace(/\/[^/]*$/, "") || "/");
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const word = code === undefined ? "is no valid kubeconfig" : `cannot be read (${code})`;
    throw new NestError("kubeconfig_unusable", `kubeconfig ${file} ${word}`, { cause });
  }
  if (context !== undefined && context !== "") config.setCurrentContext(context);
  if (config.getCurrentCluster() === null) {
    throw new NestError(
      "kubeconfig_unusable",
      `kubeconfig ${file} has no usable context${context ? ` "${context}"` : ""}`,
    );
  }
  return config;
}

/** How the hub reaches one cluster of `clusters.json`. */
export interface ClusterAccess {
  readonly id: string;
  /** The cluster in which the hub itself runs. */
  readonly inCluster?: boolean;
  /** The operator says that the hub shall not touch it. */
  readonly pullOnly?: boolean;
  /** An absolute path. */
  readonly kubeconfigPath?: string;
  readonly context?: string;
}

export type ClusterClient =
  | { readonly kind: "usable"; readonly cluster: ManagedCluster }
  /** The hub has no client for it and must not touch it; `fault` tells why, unless the operator wanted it so. */
  | { readonly kind: "pull_only"; readonly fault?: NestError };

/**
 * The client for a cluster, from what its entry names and nothing else: neither `KUBECONFIG` nor the file in a home is looked
 * at, because they may lead to a cluster that nobody meant. An entry without a usable client is `pull_only`.
 */
export async function managedClusterOf(
  entry: ClusterAccess,
  deps: { readonly timing?: Partial<Timing>; readonly root?: string } = {},
): Promise<ClusterClient> {
  if (entry.pullOnly === true) return { kind: "pull_only" };
  try {
    if (entry.inCluster === true) return { kind: "usable", cluster: ownCluster(deps.root, deps.timing) };
    if (entry.kubeconfigPath === undefined || entry.kubeconfigPath === "") return { kind: "pull_only" };
    const cluster = await clusterOf(entry.kubeconfigPath, entry.context, deps.timing);
    return { kind: "usable", cluster };
  } catch (thrown) {
    if (!(thrown instanceof NestError)) throw thrown;
    return { kind: "pull_only", fault: thrown };
  }
}
