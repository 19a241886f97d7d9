import { Secret } from "@nest/kit";
import { namespaceOf } from "@nest/protocol";
import { PLACEHOLDER, SECRETS } from "../manifests/config.ts";
import type { ProvisionerDeps } from "./requests.ts";

/** See `Provisioner.proxyToken`. */
export async function proxyTokenOf(
  deps: ProvisionerDeps,
  id: string,
  signal: AbortSignal,
): Promise<Secret | undefined> {
  const record = await deps.records.get(id);
  const { cluster } = await deps.clusters.get(record.cluster_id);
  const { data } = await cluster.secret(namespaceOf(id), SECRETS, signal);
  const value = (data as Readonly<Record<string, string>> | undefined)?.["dashboard-token"];
  const token = value === undefined ? "" : Buffer.from(value, "base64").toString("utf8");
  return token !== PLACEHOLDER && /^[\x21-\x7e]{16,}$/.test(token) ? new Secret(token) : undefined;
}
