type Raw = Readonly<Record<string, unknown>>;

/** Longer names that earlier hubs wrote, by ours. */
const longNames: Readonly<Record<string, string>> = {
  ingress_type: "ingress",
  wildcard_tls_secret: "tls_secret",
  scc_name: "scc",
  pool_min: "placeholders",
  pool_target: "placeholders",
};

const ingressWords: Readonly<Record<string, string>> = {
  nginx: "ingress",
  ingress: "ingress",
  "openshift-route": "route",
  route: "route",
};

/** An entry of `clusters.json` in our names. Ours win where both are there; keys of others stay, and null counts as absent. */
export function clusterEntryOf(raw: Raw): Raw {
  const entry: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(raw)) if (value !== null && value !== undefined) entry[snake(key)] = value;
  entry.ingress ??= ingressWords[String(entry.ingress_type)] ?? entry.ingress_type;
  entry.tls_secret ??= entry.wildcard_tls_secret;
  if (entry.requires_scc !== false) entry.scc ??= entry.scc_name;
  if (entry.placeholders === undefined && (entry.pool_min !== undefined || entry.pool_target !== undefined)) {
    const min = entry.pool_min ?? 0;
    entry.placeholders = { min, target: entry.pool_target ?? min };
  }
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined && value !== ""));
}

/** An entry without the longer names of keys that are set under ours now; they would only contradict. */
export function withoutLongNames(raw: Raw, keys: readonly string[]): Raw {
  return Object.fromEntries(Object.entries(raw).filter(([key]) => !keys.includes(longNames[snake(key)] ?? "")));
}

/** `kubeconfigPath` is `kubeconfig_path`. */
function snake(key: string): string {
  return /^[a-z]+(?:[A-Z][a-z]*)+$/.test(key) ? key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : key;
}
