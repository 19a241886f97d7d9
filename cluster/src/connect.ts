import { readFile } from "node:fs/promises";
import { KubeConfig } from "@kubernetes/client-node";
import { NestError } from "@nest/kit";
import type { Cluster } from "./cluster.ts";
import { KubernetesCluster } from "./kubernetes.ts";

/** The cluster that this process runs in, by the service account mounted into its pod. */
export function ownCluster(): Cluster {
  const config = new KubeConfig();
  config.loadFromCluster();
  return new KubernetesCluster(config);
}

/**
 * The cluster that a kubeconfig file names, in its own context unless another is asked for. No other file is ever looked at.
 *
 * @throws NestError `kubeconfig_unusable` when the file is not there, is none, or has no such context.
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
