import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ManagedCluster, managedClusterOf } from "@nest/cluster";
import { type Clock, type Log, NestError, type Random, Secret } from "@nest/kit";
import { namespaceOf } from "@nest/protocol";
import {
  AutoUpgrade,
  type ClusterEntry,
  Clusters,
  ClustersFile,
  CredentialStore,
  Placeholders,
  Provisioner,
  RecordStore,
  RegistryDigests,
  storageByCluster,
} from "@nest/provisioner";
import type { HubConfig } from "./config.ts";

export interface ProvisioningDeps {
  readonly config: HubConfig;
  /** What the hub signs with. */
  readonly master: Buffer;
  readonly hubSecret: Secret;
  readonly dashboardToken: (nestId: string) => Secret;
  /** Opens the cluster of an entry of `clusters.json`; what its kubeconfig names unless given. */
  readonly connectCluster?: ((entry: ClusterEntry) => Promise<ManagedCluster>) | undefined;
  /** This process among the hub's replicas. */
  readonly replica: { readonly id: string; readonly isLive: (id: string) => boolean };
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** What makes, changes and removes hosted nests. */
export interface Provisioning {
  readonly records: RecordStore;
  readonly clustersFile: ClustersFile;
  readonly clusters: Clusters;
  readonly provisioner: Provisioner;
  readonly autoUpgrade: AutoUpgrade;
  /** This replica is the one that works by itself now: it takes up what was left unfinished, fills pools, upgrades. */
  lead(): Promise<void>;
  /** Another replica is. */
  follow(): Promise<void>;
}

/** Wires records on disk and clusters to what works on them. */
export async function buildProvisioning(deps: ProvisioningDeps): Promise<Provisioning> {
  const { config, clock, random, log } = deps;
  const dataFolder = config.dataDir;
  const records = new RecordStore({ dataFolder, clock, log });
  const clustersFile = new ClustersFile({
    dataFolder,
    clock,
    kubeconfigFolder: config.kubeconfigFolder,
    log,
    ownCluster: ownCluster(),
  });
  const hubId = (await readFile(join(dataFolder, "saas", "hub-id"), "utf8").catch(() => "hub")).trim();
  const connect = deps.connectCluster ?? connectCluster;
  const clusters = new Clusters({ hubId, log, entry: (id) => clustersFile.find(id), connect });
  const provisioner = new Provisioner({
    records,
    clusters,
    clustersFile,
    credentials: new CredentialStore({ records, key: new Secret(deps.master.toString("hex")), random }),
    storage: storageByCluster(),
    defaults: {
      hub: { id: hubId, url: config.publicUrl ?? `http://${config.host}:${config.port}`, isProxy: true },
      hubSecret: deps.hubSecret,
      image: config.spokeImage,
      oauthClientId: config.oauth?.clientId,
      dashboardToken: deps.dashboardToken,
    },
    mostAtOnce: config.nestsAtOnce,
    replica: deps.replica,
    clock,
    random,
    log,
  });
  const parts = { records, clustersFile, provisioner };
  const { autoUpgrade, placeholders } = byItself({ ...parts, clusters }, deps);
  return {
    ...parts,
    clusters,
    autoUpgrade,
    async lead() {
      await provisioner.resumeAll();
      autoUpgrade.start();
      placeholders.start();
    },
    async follow() {
      await Promise.all([autoUpgrade.close(), placeholders.close()]);
    },
  };
}

/** What the hub does without being asked: it follows new images and fills pools. */
function byItself(
  { records, clustersFile, provisioner, clusters }: Omit<Provisioning, "autoUpgrade" | "lead" | "follow">,
  { config, clock, log }: ProvisioningDeps,
): { readonly autoUpgrade: AutoUpgrade; readonly placeholders: Placeholders } {
  const common = { records, clustersFile, clock, log };
  const registry = new RegistryDigests({ fetch, log });
  return {
    autoUpgrade: new AutoUpgrade({
      ...common,
      dataFolder: config.dataDir,
      imageOf: ({ image }) => image ?? config.spokeImage,
      digestOf: (image) => registry.digestOf(image),
      async running(clusterId) {
        const { watch } = await clusters.get(clusterId);
        return (nestId) => watch.runningDigest(namespaceOf(nestId));
      },
      upgrade: (id, image) => provisioner.upgrade(id, "hub", image),
    }),
    placeholders: new Placeholders({
      ...common,
      make: (clusterId) => provisioner.createPlaceholder(clusterId, "hub"),
      retry: (id) => provisioner.retry(id, "hub"),
    }),
  };
}

/** The client that an entry names and no other. @throws NestError `kubeconfig_unusable`, `cluster_pull_only`, … */
async function connectCluster({ record, kubeconfig }: ClusterEntry): Promise<ManagedCluster> {
  const client = await managedClusterOf({
    id: record.id,
    inCluster: record.in_cluster === true,
    ...(kubeconfig === undefined ? {} : { kubeconfigPath: kubeconfig }),
    ...(record.context === undefined ? {} : { context: record.context }),
  });
  if (client.kind === "usable") return client.cluster;
  throw client.fault ?? new NestError("cluster_pull_only", `the hub does not work on cluster ${record.id}`);
}

/** The cluster that a hub runs in, where it runs in one: without a `clusters.json` it is the only one. */
function ownCluster() {
  if (process.env.KUBERNETES_SERVICE_HOST === undefined) return undefined;
  return { id: "own", name: "this cluster", in_cluster: true, ingress: "ingress" as const };
}
