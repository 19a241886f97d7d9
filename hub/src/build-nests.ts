import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { dashboardToken } from "@nest/auth";
import { type ManagedCluster, managedClusterOf } from "@nest/cluster";
import { type Clock, type Log, NestError, type Random, Secret } from "@nest/kit";
import type { AuditEvent } from "@nest/protocol";
import {
  type ClusterEntry,
  Clusters,
  ClustersFile,
  CredentialStore,
  noStorageExport,
  Provisioner,
  RecordStore,
} from "@nest/provisioner";
import type { HubAccess } from "./access/build-access.ts";
import { LedgerOnce } from "./access/ledger-once.ts";
import type { Dispatch } from "./build-dispatch.ts";
import type { HubConfig } from "./config.ts";
import type { FleetRegistry } from "./fleet/registry.ts";
import { AuthCheck } from "./nests/auth-check.ts";
import { DriftWatch } from "./nests/drift-watch.ts";
import { HeardNests } from "./nests/heard-nests.ts";
import { NestPasses } from "./nests/nest-pass.ts";
import { NestPeople } from "./nests/nest-people.ts";
import { NestStream } from "./nests/nest-stream.ts";
import { RecentNests } from "./nests/recent-nests.ts";

export interface NestsDeps {
  readonly config: HubConfig;
  readonly dispatch: Dispatch;
  readonly access: HubAccess;
  readonly registry: FleetRegistry;
  /** Opens the cluster of an entry of `clusters.json`; what its kubeconfig names unless given. */
  readonly connectCluster?: ((entry: ClusterEntry) => Promise<ManagedCluster>) | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The parts of hosted nests. */
export interface Nests {
  readonly records: RecordStore;
  readonly clustersFile: ClustersFile;
  readonly clusters: Clusters;
  readonly provisioner: Provisioner;
  readonly people: NestPeople;
  readonly passes: NestPasses;
  readonly authCheck: AuthCheck;
  readonly stream: NestStream;
  readonly drift: DriftWatch;
  readonly heard: HeardNests;
  readonly clock: Clock;
  readonly audit: (actor: string, event: AuditEvent) => Promise<void>;
  /** Goes on with what a hub that was killed left unfinished; @throws UsageError for a `clusters.json` that cannot be read. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Wires hosted nests: records on disk, clusters, what works on them, and who may come in. */
export async function buildNests(deps: NestsDeps): Promise<Nests> {
  const { config, dispatch, access, clock, random, log } = deps;
  const { users, master } = access;
  const { ledger, batcher, storage } = dispatch;
  const dataFolder = config.dataDir;
  const records = new RecordStore({ dataFolder, clock, log });
  const clustersFile = new ClustersFile({
    dataFolder,
    kubeconfigFolder: config.kubeconfigFolder,
    log,
    ownCluster: ownCluster(),
  });
  const hubId = (await readFile(join(dataFolder, "saas", "hub-id"), "utf8").catch(() => "hub")).trim();
  const clusters = new Clusters({
    hubId,
    log,
    entry: (id) => clustersFile.find(id),
    connect: deps.connectCluster ?? connectCluster,
  });
  const tokenOf = (nestId: string) => dashboardToken(master, nestId);
  const provisioner = new Provisioner({
    records,
    clusters,
    clustersFile,
    credentials: new CredentialStore({ records, key: new Secret(master.toString("hex")), random }),
    storage: noStorageExport,
    defaults: {
      hub: { id: hubId, url: config.publicUrl ?? `http://${config.host}:${config.port}`, isProxy: true },
      hubSecret: access.hubSecret,
      image: config.spokeImage,
      oauthClientId: config.oauth?.clientId,
      dashboardToken: tokenOf,
    },
    mostAtOnce: config.nestsAtOnce,
    clock,
    random,
    log,
  });
  const people = new NestPeople({
    users,
    clock,
    nestOf: (id) => records.get(id),
    folderOf: (id) => records.folderOf(id),
    setOwner: async (id, owner) => void (await records.change(id, (record) => ({ ...record, owner }))),
  });
  const passes = new NestPasses({ master, clock, random });
  const recent = new RecentNests({ records, clock });
  const authCheck = new AuthCheck({
    nestOf: (id, reading) => recent.read(id, reading),
    userOf: (login, reading) => users.read(login, reading),
    sessions: access.sessions,
    isAdmin: (who) => access.identity.isAdmin(who),
    passes,
    once: new LedgerOnce({ ledger, batcher, clock, prefix: "ticket:", actor: "hub" }),
    dashboardToken: tokenOf,
    now: () => clock.now(),
  });
  const isAtWork = () => storage.shared === undefined || storage.shared.replicas.isLeader;
  const drift = new DriftWatch({ records, provisioner, clock, random, log, isAtWork });
  const stream = new NestStream({ clock, onChange: (listener) => records.onChange(listener) });
  return {
    records,
    clustersFile,
    clusters,
    provisioner,
    people,
    passes,
    authCheck,
    stream,
    drift,
    heard: new HeardNests({ records, provisioner, clock, log }),
    clock,
    audit: async (actor, event) => void (await batcher.ask({ kind: "audit", actor, event })),
    async start() {
      await clustersFile.list();
      if (isAtWork()) await provisioner.resumeAll();
      drift.start();
    },
    async close() {
      drift.close();
      stream.close();
      await provisioner.close();
    },
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
