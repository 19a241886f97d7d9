import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent, NestError } from "@nest/kit";
import { z } from "zod";

/** A cluster in `clusters.json`; unknown keys are ignored. */
const ClusterEntry = z.looseObject({
  id: z.string().min(1),
  in_cluster: z.boolean().optional(),
  pull_only: z.boolean().optional(),
  kubeconfig_path: z.string().optional(),
  context: z.string().optional(),
});
export type ClusterEntry = z.infer<typeof ClusterEntry>;

const RegistryEntry = z.looseObject({
  id: z.string(),
  clusterId: z.string().nullish(),
  cluster_id: z.string().nullish(),
});
const Registry = z.looseObject({ nests: z.array(RegistryEntry).optional(), hives: z.array(RegistryEntry).optional() });
const Meta = z.looseObject({
  id: z.string().optional(),
  cluster_id: z.string().nullish(),
  status: z.string().optional(),
  replicas: z.number().nullish(),
  deleted_at: z.string().nullish(),
});

/** A spoke to be read, with its cluster. */
export interface FleetSpoke {
  readonly id: string;
  readonly cluster: ClusterEntry;
  /** Why it may have no pod according to its record; undefined when it should have one. */
  readonly asleep: string | undefined;
}

/** The fleet; every entry is in one of these three lists. */
export interface Fleet {
  readonly spokes: readonly FleetSpoke[];
  /** Hosted spokes that cannot be read, with the reason. */
  readonly errors: Readonly<Record<string, string>>;
  /** Spokes that run elsewhere and back themselves up. */
  readonly elsewhere: Readonly<Record<string, string>>;
}

/** The entries of `clusters.json`, preferably the file under `saas/`; undefined when there is none. */
async function readClusters(dataDir: string): Promise<readonly ClusterEntry[] | undefined> {
  for (const path of [join(dataDir, "saas", "clusters.json"), join(dataDir, "clusters.json")]) {
    const text = await textOf(path);
    if (text !== undefined) return parse(path, text, z.array(ClusterEntry));
  }
  return undefined;
}

/**
 * Reads the fleet from the registry and the records of hosted instances.
 *
 * @throws NestError `fleet_unreadable` when the registry or `clusters.json` is absent or invalid.
 */
export async function readFleet(dataDir: string): Promise<Fleet> {
  const clusters = await readClusters(dataDir);
  if (clusters === undefined) {
    throw new NestError("fleet_unreadable", `${dataDir} has no clusters.json`, {
      hint: "run on a hub, or pass -skip-spokes=true; a spoke of one's own is backed up from its dashboard",
    });
  }
  const registry = await readRegistry(dataDir);
  const hosted = await readHosted(dataDir);
  const spokes: FleetSpoke[] = [];
  const errors: Record<string, string> = {};
  const elsewhere: Record<string, string> = {};
  for (const id of [...new Set([...registry.keys(), ...hosted.keys()])].sort()) {
    if (id === "") continue;
    const record = hosted.get(id);
    const clusterId = registry.get(id) ?? record?.clusterId;
    const asleep = record?.asleep;
    const isHosted = hosted.has(id) || id.startsWith("hosted-");
    const cluster = clusters.find((entry) => entry.id === clusterId);
    if (asleep !== undefined && (cluster === undefined || cluster.pull_only === true)) elsewhere[id] = asleep;
    else if (clusterId === undefined && isHosted) errors[id] = "its record names no cluster";
    else if (clusterId === undefined) elsewhere[id] = "on no cluster of this hub";
    else if (cluster === undefined) errors[id] = `unknown cluster "${clusterId}"`;
    else if (cluster.pull_only === true)
      errors[id] = `cluster "${clusterId}" cannot be reached from the hub (pull_only)`;
    else spokes.push({ id, cluster, asleep });
  }
  if (registry.has("")) elsewhere["(without an id)"] = "registry entry without an id";
  return { spokes, errors, elsewhere };
}

/** @throws NestError `fleet_unreadable` when the registry is absent or not valid. */
export async function readRegistry(dataDir: string): Promise<Map<string, string | undefined>> {
  const path = join(dataDir, "hub-registry.json");
  const text = await textOf(path);
  if (text === undefined) {
    throw new NestError("fleet_unreadable", `${path} does not exist`, {
      hint: "is NEST_BACKUP_DATA_DIR the hub's data directory? The hub writes the registry with a spoke's first heartbeat",
    });
  }
  const { nests = [], hives = [] } = parse(path, text, Registry);
  return new Map([...hives, ...nests].map((entry) => [entry.id, orAbsent(entry.clusterId ?? entry.cluster_id)]));
}

interface Hosted {
  readonly clusterId: string | undefined;
  readonly asleep: string | undefined;
}

async function readHosted(dataDir: string): Promise<Map<string, Hosted>> {
  const folder = join(dataDir, "saas", "nests");
  const hosted = new Map<string, Hosted>();
  const names = await readdir(folder).catch((thrown: unknown) => {
    if (isAbsent(thrown)) return [];
    throw thrown;
  });
  for (const name of names) {
    const text = await textOf(join(folder, name, "meta.json")).catch(() => undefined);
    const meta = text === undefined ? undefined : metaIn(text);
    if (meta === undefined || meta.status === "deleted" || orAbsent(meta.deleted_at) !== undefined) continue;
    hosted.set(meta.id ?? name, { clusterId: orAbsent(meta.cluster_id), asleep: asleepIn(meta) });
  }
  return hosted;
}

/** Why a spoke has no pod: a placeholder has 0 replicas until somebody claims it. */
function asleepIn({ status, replicas }: z.infer<typeof Meta>): string | undefined {
  if (status === "available") return "a placeholder, at zero replicas";
  return replicas === 0 ? "at zero replicas" : undefined;
}

/** Parses a record. An unreadable record is still stored as a file; only its spoke's cluster is unknown. */
function metaIn(text: string): z.infer<typeof Meta> | undefined {
  try {
    const checked = Meta.safeParse(JSON.parse(text));
    return checked.success ? checked.data : undefined;
  } catch {
    return undefined;
  }
}

function orAbsent(text: string | null | undefined): string | undefined {
  return text === null || text === undefined || text === "" ? undefined : text;
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined;
    throw new NestError("fleet_unreadable", `${path} cannot be read (${(thrown as NodeJS.ErrnoException).code})`, {
      cause: thrown,
    });
  }
}

function parse<Schema extends z.ZodType>(path: string, text: string, schema: Schema): z.infer<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new NestError("fleet_unreadable", `${path} is not JSON`, { cause });
  }
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  throw new NestError(
    "fleet_unreadable",
    `${path}: ${issue?.path.join(".") || "content"}: ${issue?.message.toLowerCase()}`,
  );
}
