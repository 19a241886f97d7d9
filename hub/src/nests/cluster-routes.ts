import { type Clock, NestError, sentenceOf } from "@nest/kit";
import { type AuditEvent, type ClusterRecord, nests } from "@nest/protocol";
import type { ClusterEntry, Clusters, ClustersFile, RecordStore } from "@nest/provisioner";
import { type HubRoutes, isAdmin } from "../access/viewer.ts";

export interface ClusterRouteDeps {
  readonly file: ClustersFile;
  readonly clusters: Clusters;
  readonly records: RecordStore;
  readonly clock: Clock;
  readonly audit: (actor: string, event: AuditEvent) => Promise<void>;
}

interface Known {
  readonly at: number;
  readonly reachable: nests.Cluster["reachable"];
  readonly because?: string;
  readonly version?: string;
}

/** A cluster is asked whether it lives at most this often. */
const ASKED_MS = 30_000;
const PATIENCE_MS = 5000;

/** The clusters on which nests live: whether the hub reaches them, how full they are; added, changed and forgotten by admins. */
export function registerClusterRoutes(routes: HubRoutes, deps: ClusterRouteDeps): void {
  const { file, records, audit } = deps;
  const health = new ClusterHealth(deps);

  const shown = async (entry: ClusterEntry): Promise<nests.Cluster> => {
    const here = (await records.list()).filter(({ cluster_id }) => cluster_id === entry.record.id);
    const { at: _, ...known } = await health.of(entry);
    const available = here.filter(({ status }) => status === "available").length;
    return { ...entry.record, ...known, nests: here.length, available };
  };
  const find = async (id: string): Promise<ClusterEntry> => {
    const entry = await file.find(id);
    if (entry === undefined) throw new NestError("cluster_unknown", `there is no cluster ${JSON.stringify(id)}`);
    return entry;
  };

  routes.serve(nests.clusters, async ({ viewer }) => {
    const all = await Promise.all((await file.list()).map(shown));
    // Where the hub's credentials lie, and what it cannot reach, is for admins.
    return { clusters: isAdmin(viewer) ? all : all.map(publicFacts) };
  });

  routes.serve(nests.addCluster, async ({ body, actor }) => {
    await file.add(body);
    await audit(actor, { action: "cluster", subject: body.id, before: null, after: body });
    return shown(await find(body.id));
  });

  routes.serve(nests.setCluster, async ({ params: { id = "" }, body, actor }) => {
    const before = (await find(id)).record;
    const after = await file.set(id, body);
    health.forget(id);
    await audit(actor, { action: "cluster", subject: id, before, after });
    return shown(await find(id));
  });

  routes.serve(nests.removeCluster, async ({ params: { id = "" }, actor }) => {
    const before = (await find(id)).record;
    const left = (await records.list()).filter(({ cluster_id }) => cluster_id === id).length;
    if (left > 0)
      throw new NestError("conflict", `${left} ${left === 1 ? "nest is" : "nests are"} on this cluster`, {
        hint: "move or delete them first",
      });
    await file.remove(id);
    await audit(actor, { action: "cluster", subject: id, before, after: null });
    return { status: "removed" as const };
  });
}

function publicFacts({ id, name, domain, ingress, reachable, nests: count, available, max_nests }: nests.Cluster) {
  const limits = { nests: count, available, ...(max_nests === undefined ? {} : { max_nests }) };
  const names = { ...(name === undefined ? {} : { name }), ...(domain === undefined ? {} : { domain }) };
  return { id, ...names, ...(ingress === undefined ? {} : { ingress }), reachable, ...limits };
}

/** Whether clusters answer, asked now and then. */
class ClusterHealth {
  readonly #deps: Pick<ClusterRouteDeps, "clusters" | "clock">;
  readonly #known = new Map<ClusterRecord["id"], Known>();

  constructor(deps: Pick<ClusterRouteDeps, "clusters" | "clock">) {
    this.#deps = deps;
  }

  forget(id: string): void {
    this.#known.delete(id);
  }

  async of({ record, pullOnlyBecause }: ClusterEntry): Promise<Known> {
    const now = this.#deps.clock.now();
    if (record.missing !== undefined && record.missing.length > 0) return { at: now, reachable: "incomplete" };
    if (pullOnlyBecause !== undefined) return { at: now, reachable: "pull_only", because: pullOnlyBecause };
    const known = this.#known.get(record.id);
    if (known !== undefined && now - known.at < ASKED_MS) return known;
    const fresh = await this.#ask(record.id, now);
    this.#known.set(record.id, fresh);
    return fresh;
  }

  async #ask(id: string, at: number): Promise<Known> {
    try {
      const { cluster } = await this.#deps.clusters.get(id);
      return { at, reachable: "yes", version: await cluster.version(AbortSignal.timeout(PATIENCE_MS)) };
    } catch (thrown) {
      return { at, reachable: "no", because: sentenceOf(thrown).slice(0, 300) };
    }
  }
}
