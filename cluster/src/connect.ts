import { accessSync, constants } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { NestError } from "@nest/kit";
import type { Cluster } from "./cluster.ts";
import { KubernetesCluster } from "./kubernetes.ts";

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * The cluster in which this process runs, by the service account mounted into its pod. Its token is read again, because the
 * cluster renews it. `root` is the root of the pod's file system.
 *
 * @throws NestError `cluster_not_configured` when the pod has no service account.
 */
export function ownCluster(root = ""): Cluster {
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
  const config = new KubeConfig();
  config.loadFromCluster(root);
  return new KubernetesCluster(config);
}

/**
 * The cluster of a kubeconfig file, in the given context or else the file's current one. No other file is read.
 *
 * @throws NestError `kubeconfig_unusable` when the file does not exist, is invalid, or lacks the context.
 */
export async function clusterOf(file: string, context?: string): Promise<Cluster> {
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
  return new KubernetesCluster(config);
}
