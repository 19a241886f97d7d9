import type { Cluster, ClusterObject } from "@nest/cluster";
import { NestError, sentenceOf } from "@nest/kit";

/** Secrets without which a hub cannot be rebuilt. */
const REQUIRED = ["nest-hub-secrets", "objstore-api-key", "nest-hub-kubeconfigs"] as const;
/** Not required: a certificate can be issued again. */
const OPTIONAL = ["nest-hub-tls"] as const;
const CALL_TIMEOUT_MS = 30_000;
/** Fields that are specific to the old cluster; a new one would reject them. */
const OLD_CLUSTER_FIELDS = ["resourceVersion", "uid", "creationTimestamp", "managedFields", "selfLink", "generation"];

export interface CapturedSecrets {
  /** The file's text by the Secret's name. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

/**
 * Collects the hub's Secrets.
 *
 * @throws NestError `secret_missing` when a required one is absent, `secret_forbidden` when our role may not read it, or the
 * cluster's error when it does not answer.
 */
export async function collectSecrets(
  cluster: Cluster,
  namespace: string,
  signal: AbortSignal,
): Promise<CapturedSecrets> {
  const read = (name: string) =>
    cluster.secret(namespace, name, AbortSignal.any([signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]));
  const secrets = new Map<string, string>();
  const warnings: string[] = [];
  for (const name of REQUIRED) {
    secrets.set(name, secretText(await read(name).catch((thrown) => refuse(thrown, namespace, name))));
  }
  for (const name of OPTIONAL) {
    try {
      secrets.set(name, secretText(await read(name)));
    } catch (thrown) {
      signal.throwIfAborted();
      warnings.push(`Secret ${name} was not captured: ${sentenceOf(thrown)}; the certificate can be issued again`);
    }
  }
  return { secrets, warnings };
}

function refuse(thrown: unknown, namespace: string, name: string): never {
  if (thrown instanceof NestError && thrown.code === "cluster_absent") {
    throw new NestError("secret_missing", `the required Secret ${namespace}/${name} does not exist`, {
      hint: "check NEST_HUB_NAMESPACE; a hub cannot be rebuilt without this Secret",
    });
  }
  if (thrown instanceof NestError && thrown.code === "cluster_forbidden") {
    throw new NestError("secret_forbidden", `our role may not read the Secret ${namespace}/${name}`, {
      hint: "apply deploy/backup/role.yaml; it allows get on exactly four Secrets",
    });
  }
  throw thrown;
}

function secretText(secret: ClusterObject): string {
  const metadata = { ...(secret.metadata as Record<string, unknown>) };
  for (const field of OLD_CLUSTER_FIELDS) delete metadata[field];
  return `${JSON.stringify({ apiVersion: "v1", kind: "Secret", ...secret, metadata }, undefined, 2)}\n`;
}
