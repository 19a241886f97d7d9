import type { ClusterRecord } from "@nest/protocol";

export type Reach = "kubeconfig" | "in_cluster" | "pull_only";

/** A cluster as its form has it: everything is text until it is sent. */
export interface ClusterDraft {
  readonly id: string;
  readonly name: string;
  readonly reach: Reach;
  readonly kubeconfig_path: string;
  readonly context: string;
  readonly domain: string;
  readonly ingress: "ingress" | "route";
  readonly ingress_class: string;
  readonly tls_secret: string;
  readonly storage_class: string;
  readonly scc: string;
  readonly image: string;
  readonly max_nests: string;
  readonly least: string;
  readonly target: string;
}

export type ClusterFaults = Readonly<Partial<Record<keyof ClusterDraft, string>>>;

const texts = [
  "name",
  "kubeconfig_path",
  "context",
  "domain",
  "ingress_class",
  "tls_secret",
  "storage_class",
  "scc",
  "image",
] as const;

/** The form of a cluster, or an empty one. */
export function draftOf(cluster: ClusterRecord | undefined): ClusterDraft {
  const text = (value: string | number | undefined) => (value === undefined ? "" : String(value));
  const values = Object.fromEntries(texts.map((key) => [key, cluster?.[key] ?? ""])) as Record<
    (typeof texts)[number],
    string
  >;
  const { min, target } = cluster?.placeholders ?? {};
  return {
    ...values,
    id: cluster?.id ?? "",
    reach: cluster?.pull_only === true ? "pull_only" : cluster?.in_cluster === true ? "in_cluster" : "kubeconfig",
    ingress: cluster?.ingress ?? "ingress",
    max_nests: text(cluster?.max_nests),
    least: text(min),
    target: text(target),
  };
}

/** What cannot be sent, by field. */
export function clusterFaults(draft: ClusterDraft): ClusterFaults {
  const faults: Partial<Record<keyof ClusterDraft, string>> = {};
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(draft.id.trim())) faults.id = "letters, digits, '.', '_' and '-'";
  if (draft.reach === "kubeconfig" && draft.kubeconfig_path.trim() === "")
    faults.kubeconfig_path = "the path of its kubeconfig on the hub";
  for (const key of ["max_nests", "least", "target"] as const)
    if (!/^\d{0,5}$/.test(draft[key].trim())) faults[key] = "a whole number, or nothing";
  if (faults.least === undefined && faults.target === undefined && Number(draft.least) > Number(draft.target))
    faults.least = "at most as many as are held ready";
  return faults;
}

/** The record that a form means: of its fields those that are not empty. */
export function recordOf(draft: ClusterDraft): ClusterRecord {
  const given = texts.map((key) => [key, draft[key].trim()] as const).filter(([, value]) => value !== "");
  const { kubeconfig_path: _path, context: _context, ...elsewhere } = Object.fromEntries(given);
  const reach = draft.reach === "kubeconfig" ? Object.fromEntries(given) : { ...elsewhere, [draft.reach]: true };
  const hasPool = draft.least.trim() !== "" || draft.target.trim() !== "";
  return {
    ...reach,
    id: draft.id.trim(),
    ingress: draft.ingress,
    ...(draft.max_nests.trim() === "" ? {} : { max_nests: Number(draft.max_nests) }),
    ...(hasPool ? { placeholders: { min: Number(draft.least), target: Number(draft.target) } } : {}),
  };
}

/** Keys that the form knows; a change takes those away that are empty now, and leaves keys of others. */
const keys = [...texts, "ingress", "in_cluster", "pull_only", "max_nests", "placeholders"] as const;

/** What changes a cluster from one record to another: null takes a key away. */
export function changeOf(before: ClusterRecord, draft: ClusterDraft): Readonly<Record<string, unknown>> {
  const after = recordOf(draft);
  const changed = keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  return Object.fromEntries(changed.map((key) => [key, after[key] ?? null]));
}
