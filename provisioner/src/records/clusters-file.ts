import { access, constants } from "node:fs/promises";
import { basename, isAbsolute, join } from "node:path";
import {
  type Clock,
  type Log,
  makePrivateFolder,
  NestError,
  readTextIfPresent,
  UsageError,
  writeFileAtomic,
} from "@nest/kit";
import { ClusterRecord } from "@nest/protocol";
import { clusterEntryOf, withoutLongNames } from "./cluster-entry.ts";
import { RecordLocks } from "./record-lock.ts";

export interface ClustersFileDeps {
  readonly dataFolder: string;
  /** Where kubeconfigs are mounted; an entry may name one of them by its file name alone. */
  readonly kubeconfigFolder?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** The one cluster of a hub that has no `clusters.json`: the one it runs in; absent where the hub is in no pod. */
  readonly ownCluster?: ClusterRecord | undefined;
}

/** A cluster, and whether the hub works on it itself. */
export interface ClusterEntry {
  readonly record: ClusterRecord;
  /** The kubeconfig as an absolute path. */
  readonly kubeconfig: string | undefined;
  /** Why the hub never touches it; undefined when it does. */
  readonly pullOnlyBecause: string | undefined;
}

type Raw = Readonly<Record<string, unknown>>;

/**
 * `clusters.json`: read live from `saas/` of the data folder, else from the folder itself; written where it was found. Keys of
 * others are kept, and changes of several processes are one after the other. A cluster without a usable kubeconfig is never touched: no other configuration stands in for it.
 */
export class ClustersFile {
  readonly #deps: ClustersFileDeps;
  readonly #locks: RecordLocks;
  readonly #told = new Set<string>();

  constructor(deps: ClustersFileDeps) {
    this.#deps = deps;
    this.#locks = new RecordLocks(join(deps.dataFolder, "locks"), deps.clock);
  }

  /** @throws UsageError naming the file and what is wrong in it; at boot that ends the hub with 2. */
  async list(): Promise<readonly ClusterEntry[]> {
    const found = await this.#read();
    const { ownCluster } = this.#deps;
    if (found === undefined) return ownCluster === undefined ? [] : [await this.#entry(ownCluster)];
    return Promise.all(found.records.map((record) => this.#entry(record)));
  }

  async find(id: string): Promise<ClusterEntry | undefined> {
    return (await this.list()).find(({ record }) => record.id === id);
  }

  /** @throws NestError `cluster_exists`. */
  async add(record: ClusterRecord): Promise<void> {
    await this.#change((all) => {
      if (all.some(({ id }) => id === record.id))
        throw new NestError("cluster_exists", `there is a cluster ${record.id} already`);
      return [...all, record];
    });
  }

  /** Changes keys of a cluster; null takes a key away. @throws NestError `cluster_unknown`; `bad_request` for a bad value. */
  async set(id: string, changes: Raw): Promise<ClusterRecord> {
    const { id: _, ...rest } = changes;
    await this.#change((all) => {
      if (!all.some((one) => one.id === id)) throw clusterUnknown(id);
      return all.map((one) => (one.id === id ? changedEntry(one, rest) : one));
    });
    const entry = await this.find(id);
    if (entry === undefined) throw clusterUnknown(id);
    return entry.record;
  }

  /** @throws NestError `cluster_unknown`. */
  async remove(id: string): Promise<void> {
    await this.#change((all) => {
      if (!all.some((one) => one.id === id)) throw clusterUnknown(id);
      return all.filter((one) => one.id !== id);
    });
  }

  async #change(change: (all: readonly Raw[]) => readonly Raw[]): Promise<void> {
    await this.#locks.run("clusters", async ({ stillMine }) => {
      const found = await this.#read();
      const { dataFolder, ownCluster } = this.#deps;
      const path = found?.path ?? join(dataFolder, "clusters.json");
      const before = found?.raw ?? (ownCluster === undefined ? [] : [ownCluster]);
      await makePrivateFolder(dataFolder);
      const text = `${JSON.stringify(change(before), undefined, 2)}\n`;
      await writeFileAtomic(path, text, { beforeReplacing: stillMine });
    });
  }

  async #read(): Promise<
    { readonly path: string; readonly raw: readonly Raw[]; readonly records: readonly ClusterRecord[] } | undefined
  > {
    for (const folder of [join(this.#deps.dataFolder, "saas"), this.#deps.dataFolder]) {
      const path = join(folder, "clusters.json");
      const text = await readTextIfPresent(path);
      if (text === undefined) continue;
      const raw = arrayOf(path, text);
      return { path, raw, records: recordsOf(path, raw) };
    }
    return undefined;
  }

  async #entry(record: ClusterRecord): Promise<ClusterEntry> {
    const kubeconfig = await this.#pathOf(record.kubeconfig_path);
    const pullOnlyBecause = await this.#whyPullOnly(record, kubeconfig);
    return { record, kubeconfig, pullOnlyBecause };
  }

  /** The first of the places that an entry can mean where there is a file; the first of all where there is none. */
  async #pathOf(path: string | undefined): Promise<string | undefined> {
    if (path === undefined || path === "") return undefined;
    const { dataFolder, kubeconfigFolder } = this.#deps;
    const mounted = kubeconfigFolder === undefined ? [] : [join(kubeconfigFolder, basename(path))];
    const places = isAbsolute(path) ? [path, ...mounted] : [join(dataFolder, path), ...mounted];
    for (const place of places) if (await isReadable(place)) return place;
    return places[0];
  }

  async #whyPullOnly(record: ClusterRecord, kubeconfig: string | undefined): Promise<string | undefined> {
    if (record.pull_only === true) return "it is marked pull_only";
    if (record.in_cluster === true || incompleteFault(record) !== undefined) return undefined;
    if (kubeconfig === undefined) return "it names no kubeconfig";
    const because = await access(kubeconfig, constants.R_OK).then(
      () => undefined,
      (thrown: NodeJS.ErrnoException) => `its kubeconfig ${kubeconfig} cannot be read (${thrown.code})`,
    );
    if (because !== undefined && !this.#told.has(`${record.id} ${because}`)) {
      this.#told.add(`${record.id} ${because}`);
      this.#deps.log.warn({ cluster: record.id, because }, "a cluster is treated as pull_only");
    }
    return because;
  }
}

/** Why nothing can be done on a cluster that lacks something; undefined when it lacks nothing. */
export function incompleteFault({ id, missing = [] }: ClusterRecord): NestError<"cluster_incomplete"> | undefined {
  if (missing.length === 0) return undefined;
  return new NestError("cluster_incomplete", `cluster ${id} cannot run nests yet`, {
    hint: "the page Clusters tells the hub's admin what it lacks, and the command that brings it",
  });
}

function isReadable(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}

function arrayOf(path: string, text: string): readonly Raw[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) && value.every((one) => typeof one === "object" && one !== null)) return value;
  } catch {
    throw new UsageError(`${path}: not JSON`, { hint: "repair it, or remove it" });
  }
  throw new UsageError(`${path}: expected an array of clusters`);
}

function recordsOf(path: string, raw: readonly Raw[]): readonly ClusterRecord[] {
  const faults: string[] = [];
  const records: ClusterRecord[] = [];
  for (const [at, one] of raw.entries()) {
    const checked = ClusterRecord.safeParse(clusterEntryOf(one));
    if (!checked.success) {
      const where = typeof one.id === "string" ? one.id : String(at);
      for (const issue of checked.error.issues)
        faults.push(`${path}: ${where}.${issue.path.join(".")}: ${issue.message.toLowerCase()}`);
    } else if (records.some(({ id }) => id === checked.data.id))
      faults.push(`${path}: ${checked.data.id}: named twice`);
    else records.push(checked.data);
  }
  const [first] = faults;
  if (first !== undefined) throw new UsageError(first, { faults });
  return records;
}

function changedEntry(before: Raw, changes: Raw): Raw {
  const after: Record<string, unknown> = { ...withoutLongNames(before, Object.keys(changes)), ...changes };
  for (const [key, value] of Object.entries(changes)) if (value === null) delete after[key];
  const checked = ClusterRecord.safeParse(clusterEntryOf(after));
  if (checked.success) return after;
  const [issue] = checked.error.issues;
  throw new NestError("bad_request", `${issue?.path.join(".") ?? "body"}: ${issue?.message.toLowerCase() ?? "wrong"}`);
}

function clusterUnknown(id: string): NestError {
  return new NestError("cluster_unknown", `there is no cluster ${JSON.stringify(id)}`, {
    hint: "GET /api/saas/clusters lists them",
  });
}
