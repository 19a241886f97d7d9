import { KeyedLock, NestError, Secret } from "@nest/kit";
import { type HostedNestRecord, namespaceOf } from "@nest/protocol";
import { driftOf, type NestDrift } from "../drift/drift.ts";
import { newNestId, newPlaceholderId } from "../ids.ts";
import { secret } from "../manifests/config.ts";
import type { NestSecrets } from "../manifests/spec.ts";
import { migrate } from "../migrate/migrate.ts";
import { desiredObjects, objectSteps, objectsByStep, yamlOf } from "../nest.ts";
import { deprovision } from "../operations/deprovision.ts";
import { pause, resume, upgrade } from "../operations/lifecycle.ts";
import { OperationRunner } from "../operations/operation-runner.ts";
import { claim, provision, repair } from "../operations/provision.ts";
import { doneRecord, imageFor, specOf } from "../operations/tools.ts";
import { type ClusterEntry, incompleteFault } from "../records/clusters-file.ts";
import { adoptNest } from "./adopt.ts";
import { isCured } from "./cured.ts";
import { newRecord } from "./new-record.ts";
import { proxyTokenOf } from "./proxy-token.ts";
import type { Claim, NewNest, ProjectFields, ProvisionerDeps } from "./requests.ts";

/**
 * Makes, claims, changes, moves and removes hosted nests. Every method answers as soon as the record says what is under way; the
 * record tells how far it is, and survives a hub that is killed.
 */
export class Provisioner {
  readonly #deps: ProvisionerDeps;
  readonly #runner: OperationRunner;
  readonly #locks = new KeyedLock();

  constructor(deps: ProvisionerDeps) {
    this.#deps = deps;
    const operations = {
      provision: provision(deps),
      claim: claim(deps),
      upgrade: upgrade(deps),
      pause,
      resume,
      migrate: migrate(deps),
      delete: deprovision(deps),
      repair: repair(deps),
    };
    this.#runner = new OperationRunner(deps, operations, deps.mostAtOnce ?? 2);
  }

  /**
   * Creates a nest (spec: POST /api/saas/nests). On a pull_only cluster only its record is made.
   *
   * @throws NestError `cluster_unknown`, `cluster_incomplete`, `cluster_full`, `nest_spec_invalid`, `nest_id_exhausted`.
   */
  async create(request: NewNest): Promise<HostedNestRecord> {
    return this.#make(request.clusterId, request.by, request.secrets, async () => ({
      id: await this.#newId(request.project),
      owner: request.owner,
      ...request.project,
      repos: [...request.project.repos],
      ...request.auth,
    }));
  }

  /** Makes a placeholder: a nest without owner and project that waits at 0 replicas. See {@link create} for what it throws. */
  async createPlaceholder(clusterId: string, by: string): Promise<HostedNestRecord> {
    const { records, clock, random } = this.#deps;
    return this.#make(clusterId, by, {}, async () => {
      const id = await newPlaceholderId(clusterId, clock.now(), random, (taken) => records.isTaken(taken));
      const org = `available-${clusterId}`.replace(/[^A-Za-z0-9._-]/g, "-");
      const project = { org, repos: [], primary_repo: "placeholder", project_name: `Available slot (${clusterId})` };
      return { id, owner: "", ...project, acmm_level: 2, is_public: false, auto_upgrade: true };
    });
  }

  /**
   * Gives a placeholder to an owner and a project.
   *
   * @throws NestError `nest_not_found`, `nest_not_available`, `nest_spec_invalid`.
   */
  async claim(id: string, request: Claim): Promise<HostedNestRecord> {
    return this.#locks.run(id, async () => {
      const before = await this.#deps.records.get(id);
      if (before.status !== "available") throw notAvailable(before.status);
      const after = { ...before, owner: request.owner, ...request.project, ...request.auth };
      const claimed = { ...after, repos: [...request.project.repos], replicas: 1 };
      await this.#check(claimed);
      if (Object.keys(request.secrets).length === 0) await this.#deps.credentials.forget(id);
      else await this.#deps.credentials.keep(id, request.secrets);
      return this.#runner.start(id, { kind: "claim", by: request.by }, (now) => {
        if (now.status !== "available") throw notAvailable(now.status);
        return { ...now, ...claimed, status: "provisioning", revision: now.revision };
      });
    });
  }

  /** Brings an image: the one named, else the newest of the nest's cluster. @throws NestError `nest_busy`, `nest_spec_invalid`. */
  async upgrade(id: string, by: string, image?: string): Promise<HostedNestRecord> {
    const record = await this.#deps.records.get(id);
    const { record: cluster } = await this.#entry(record.cluster_id);
    const wanted = image ?? imageFor(cluster, this.#deps.defaults);
    await this.#check({ ...record, image: wanted });
    // The image that runs now is what is brought back if the new one does not come up.
    return this.#runner.start(id, { kind: "upgrade", by, image: wanted }, (before) => ({
      ...before,
      image: before.image ?? imageFor(cluster, this.#deps.defaults),
    }));
  }

  async pause(id: string, by: string): Promise<HostedNestRecord> {
    return this.#runner.start(id, { kind: "pause", by });
  }

  async resume(id: string, by: string): Promise<HostedNestRecord> {
    return this.#runner.start(id, { kind: "resume", by });
  }

  /** Takes up what failed last; repairs the nest when nothing did. @throws NestError `nest_busy`. */
  async retry(id: string, by: string): Promise<HostedNestRecord> {
    const { failed_operation: failed } = await this.#deps.records.get(id);
    const again = failed as HostedNestRecord["operation"];
    if (again === undefined) return this.repair(id, by);
    const { at: _, ...operation } = again;
    return this.#runner.start(id, { ...operation, by }, (before) => ({
      ...before,
      status: statusDuring[operation.kind] ?? before.status,
    }));
  }

  /**
   * A heartbeat of the nest arrived. One that is in `error` because it was not ready in time, or because its app was missing, is
   * `running` from then on, unless it still says that its app is missing.
   */
  async heard(id: string, isAppMissing: boolean): Promise<void> {
    const record = await this.#deps.records.read(id);
    if (record === undefined || !isCured(record, isAppMissing)) return;
    await this.#deps.records.change(id, (now) =>
      isCured(now, isAppMissing) ? doneRecord(now, { status: "running" }) : undefined,
    );
  }

  /** Applies everything again and waits until the nest is ready. @throws NestError `nest_busy`. */
  async repair(id: string, by: string): Promise<HostedNestRecord> {
    return this.#runner.start(id, { kind: "repair", by });
  }

  /** Moves a nest to another cluster with its data. @throws NestError `nest_busy`, `cluster_unknown`, `cluster_pull_only`. */
  async migrate(id: string, clusterId: string, by: string): Promise<HostedNestRecord> {
    const record = await this.#deps.records.get(id);
    if (record.cluster_id === clusterId)
      throw new NestError("bad_request", `cluster_id: the nest is on ${clusterId} already`);
    await this.#deps.clusters.get(clusterId);
    await this.#notFull((await this.#entry(clusterId)).record.id);
    return this.#runner.start(id, { kind: "migrate", by, to_cluster: clusterId, from_cluster: record.cluster_id });
  }

  /**
   * Takes over a nest that runs on a cluster already, made by hand: the record points to it, its namespace and Deployment get this
   * hub's label. Nothing else of it is changed, and no pod is started anew.
   *
   * @throws NestError `nest_not_on_cluster`, `nest_belongs_elsewhere`, `nest_busy`.
   */
  async adopt(id: string, clusterId: string, signal: AbortSignal): Promise<HostedNestRecord> {
    return adoptNest(this.#deps, { id, clusterId, signal });
  }

  /**
   * Removes a nest with its namespace and data, whatever is under way on it. On a cluster that the hub does not touch, or knows
   * no more, only the record goes: the answer names what somebody has to remove by hand.
   *
   * @throws NestError `nest_not_found`.
   */
  async deprovision(id: string, by: string): Promise<{ readonly leftovers: readonly string[] }> {
    const record = await this.#deps.records.get(id);
    const entry = await this.#deps.clustersFile.find(record.cluster_id);
    if (entry === undefined || entry.pullOnlyBecause !== undefined) {
      await this.#deps.records.bury(id, by);
      return { leftovers: [`Namespace ${namespaceOf(id)} on cluster ${record.cluster_id || "(none)"}`] };
    }
    await this.#runner.replace(id, { kind: "delete", by }, (before) => ({ ...before, status: "deleting" }));
    return { leftovers: [] };
  }

  /** Goes on with everything that a killed hub left unfinished; called once when the hub starts. */
  async resumeAll(): Promise<void> {
    const { credentials, records, clock } = this.#deps;
    await credentials.removeOrphans(records.folder, clock.now());
    await this.#runner.resumeAll();
  }

  /** The place in the cluster's line, from 1; undefined for a nest that does not wait. */
  position(id: string): number | undefined {
    return this.#runner.position(id);
  }

  /** How a nest differs from what the hub wants; empty on clusters that the hub does not touch. */
  async driftOf(id: string, signal: AbortSignal): Promise<readonly NestDrift[]> {
    const record = await this.#deps.records.get(id);
    const entry = await this.#deps.clustersFile.find(record.cluster_id);
    if (entry === undefined || entry.pullOnlyBecause !== undefined) return [];
    return driftOf(await this.#deps.clusters.get(record.cluster_id), record, this.#deps, signal);
  }

  /** The objects as YAML without secrets, for whoever applies them by hand. */
  async manifestsOf(id: string): Promise<string> {
    const record = await this.#deps.records.get(id);
    const spec = specOf(record, (await this.#entry(record.cluster_id)).record, this.#deps);
    const byStep = objectsByStep(spec);
    return yamlOf(objectSteps.flatMap((step) => (step === "secrets" ? [secret(spec, {})] : byStep[step])));
  }

  /** What the hub's proxy proves itself with to a nest, read from its Secret; undefined where it has none. */
  async proxyToken(id: string, signal: AbortSignal): Promise<Secret | undefined> {
    return proxyTokenOf(this.#deps, id, signal);
  }

  /** Resolves when nothing is under way any more. */
  async settled(): Promise<void> {
    await this.#runner.settled();
  }

  /** Stops where it is; the next start goes on from there. */
  async close(): Promise<void> {
    await this.#runner.close();
    await this.#deps.clusters.close();
  }

  async #make(
    clusterId: string,
    by: string,
    secrets: NestSecrets,
    fields: () => Promise<Partial<HostedNestRecord> & { readonly id: string }>,
  ): Promise<HostedNestRecord> {
    // One after the other for each cluster, so that two at once do not both take the last place.
    return this.#locks.run(`cluster ${clusterId}`, async () => {
      const entry = await this.#entry(clusterId);
      const incomplete = incompleteFault(entry.record);
      if (incomplete !== undefined) throw incomplete;
      await this.#notFull(clusterId);
      const { records, credentials, defaults, random } = this.#deps;
      const record = newRecord(await fields(), entry.record, this.#deps);
      desiredObjects(specOf(record, entry.record, this.#deps));
      if (entry.pullOnlyBecause !== undefined) return records.create(record);
      await credentials.keep(record.id, {
        dashboardToken: defaults.dashboardToken?.(record.id) ?? new Secret(random.hex(32)),
        ...secrets,
      });
      const begun = await records.create(this.#runner.begun(record, { kind: "provision", by }));
      this.#runner.launch(begun);
      return begun;
    });
  }

  async #newId(project: ProjectFields): Promise<string> {
    const { records, random } = this.#deps;
    const name = { org: project.org, primaryRepo: project.primary_repo };
    return newNestId(name, random, (id) => records.isTaken(id));
  }

  /** @throws NestError `nest_spec_invalid`. */
  async #check(record: HostedNestRecord): Promise<void> {
    objectsByStep(specOf(record, (await this.#entry(record.cluster_id)).record, this.#deps));
  }

  async #entry(clusterId: string): Promise<ClusterEntry> {
    const entry = await this.#deps.clustersFile.find(clusterId);
    if (entry !== undefined) return entry;
    throw new NestError("cluster_unknown", `there is no cluster ${JSON.stringify(clusterId)}`, {
      hint: "GET /api/saas/clusters lists them",
    });
  }

  /** @throws NestError `cluster_full`. */
  async #notFull(clusterId: string): Promise<void> {
    const { max_nests: most } = (await this.#entry(clusterId)).record;
    if (most === undefined) return;
    const nests = (await this.#deps.records.list()).filter((record) => record.cluster_id === clusterId).length;
    if (nests >= most)
      throw new NestError("cluster_full", `cluster ${clusterId} is full (${nests} of ${most} nests)`, {
        hint: "choose another cluster, or ask the hub's admin for room",
      });
  }
}

const statusDuring: Partial<Record<string, string>> = {
  provision: "provisioning",
  claim: "provisioning",
  delete: "deleting",
};

function notAvailable(status: string): NestError {
  return new NestError(
    "nest_not_available",
    `the nest is ${status === "" ? "no placeholder" : status}, so nobody can claim it`,
    {
      hint: "claim one that is available",
    },
  );
}
