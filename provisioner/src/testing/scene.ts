import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ManagedCluster, MemoryCluster } from "@nest/cluster";
import { Secret, seededRandom, silentLog, VirtualClock, writeFileAtomic } from "@nest/kit";
import { type ClusterRecord, namespaceOf } from "@nest/protocol";
import { Provisioner } from "../nests/provisioner.ts";
import type { NewNest } from "../nests/requests.ts";
import type { ClusterEntry } from "../records/clusters-file.ts";
import { CredentialStore } from "../records/credential-store.ts";
import { RecordStore } from "../records/record-store.ts";
import { noStorageExport, type StorageExport } from "../storage-export/storage-export.ts";
import { Clusters } from "../work/clusters.ts";
import { FakeControllers } from "./controllers.ts";
import { FakeVolumes } from "./volumes.ts";

export const IMAGE = "registry.example.org/nest-spoke:1";
export const APP_KEY = "-----BEGIN RSA PRIVATE KEY-----\nQUFBQQ==\n-----END RSA PRIVATE KEY-----\n";

/** What happens before each effect outside the hub; throwing there is the hub's end. */
export type Gate = (effect: string) => Promise<void>;

export interface HubOptions {
  readonly gate?: Gate;
  readonly mostAtOnce?: number;
  readonly storage?: StorageExport;
  readonly hubId?: string;
  readonly image?: string;
  /** It among the hub's replicas. */
  readonly replica?: { readonly id: string; readonly isLive: (id: string) => boolean };
  /** It will be killed: nobody closes it at the end. */
  readonly isDoomed?: boolean;
}

/** Clusters in memory with their controllers, a data folder, and hubs that come and go on them. */
export class Scene implements AsyncDisposable {
  readonly folder: string;
  readonly clock = new VirtualClock();
  readonly east = new MemoryCluster();
  readonly west = new MemoryCluster();
  readonly controllers = { east: new FakeControllers(this.east), west: new FakeControllers(this.west) };
  readonly records: RecordStore;
  /** The records as the newest hub has them. */
  hubRecords: RecordStore;
  readonly volumes: { readonly east: FakeVolumes; readonly west: FakeVolumes };
  entries: ClusterRecord[] = [
    { id: "east", in_cluster: true, domain: "east.example.org", ingress: "ingress" },
    { id: "west", in_cluster: true, domain: "west.example.org", ingress: "ingress" },
    { id: "far", pull_only: true, domain: "far.example.org", ingress: "route", scc: "anyuid" },
  ];
  readonly #hubs: Provisioner[] = [];
  #acts = 0;
  #writing = 0;
  #made = 6;

  private constructor(folder: string) {
    this.folder = folder;
    this.records = new RecordStore({ dataFolder: folder, clock: this.clock, log: silentLog() });
    this.hubRecords = this.records;
    this.volumes = {
      east: new FakeVolumes(this.east, join(folder, "volumes", "east")),
      west: new FakeVolumes(this.west, join(folder, "volumes", "west")),
    };
  }

  static async make(): Promise<Scene> {
    return new Scene(await mkdtemp(join(tmpdir(), "nest-provisioner-")));
  }

  /** A hub on this scene's data folder and clusters. */
  hub(options: HubOptions = {}): Provisioner {
    const { hubId = "hub-one" } = options;
    const gate: Gate = async (effect) => {
      this.#acts += 1;
      await options.gate?.(effect);
    };
    const write = async (path: string, text: string | Uint8Array) => {
      await gate(`write ${path.slice(this.folder.length)}`);
      this.#writing += 1;
      await writeFileAtomic(path, text).finally(() => {
        this.#writing -= 1;
        this.#acts += 1;
      });
    };
    const log = silentLog();
    const records = new RecordStore({ dataFolder: this.folder, clock: this.clock, log, write });
    const entry = async (id: string) => this.clusterEntries().find(({ record }) => record.id === id);
    this.hubRecords = records;
    const connect = async ({ record }: { readonly record: ClusterRecord }) =>
      gated(record.id === "west" ? this.west : this.east, gate);
    this.#made += 1;
    const random = seededRandom(this.#made);
    const hub = new Provisioner({
      records,
      credentials: new CredentialStore({ records, key: new Secret("k".repeat(64)), random, write }),
      clusters: new Clusters({ entry, connect, hubId, log }),
      clustersFile: { find: entry, list: async () => [] },
      storage: options.storage ?? noStorageExport,
      defaults: {
        hub: { id: hubId, url: "https://hub.example.org", isProxy: true },
        hubSecret: new Secret("the-secret-of-all-heartbeats"),
        image: options.image ?? IMAGE,
      },
      clock: this.clock,
      random,
      log,
      mostAtOnce: options.mostAtOnce ?? 2,
      replica: options.replica,
    });
    if (!options.isDoomed) this.#hubs.push(hub);
    return hub;
  }

  /** The values of a nest's Secret on the cluster east. */
  async secretOf(id: string): Promise<Record<string, string>> {
    const { data } = await this.east.secret(namespaceOf(id), "nest-secrets", new AbortController().signal);
    const values = Object.entries(data as Record<string, string>);
    return Object.fromEntries(values.map(([key, value]) => [key, Buffer.from(value, "base64").toString()]));
  }

  clusterEntries(): readonly ClusterEntry[] {
    return this.entries.map((record) => {
      const pullOnlyBecause = record.pull_only ? "it is marked pull_only" : undefined;
      return { record, kubeconfig: undefined, pullOnlyBecause };
    });
  }

  /** Lets time pass until the hub has nothing under way. */
  async settle(hub: Provisioner): Promise<void> {
    let isSettled = false;
    const settled = hub.settled().then(() => {
      isSettled = true;
    });
    await this.until(() => isSettled);
    await settled;
  }

  /** Lets time pass until something is so. Time stands still while files and clusters are at work. */
  async until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isSo())) {
      const before = this.#acts;
      await sleep(2);
      // A disk may take a second for one write: that is no minute of a step that waits.
      if (this.#acts === before && this.#writing === 0) await this.clock.advance(500);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#hubs.map((hub) => hub.close()));
    for (const fake of [...Object.values(this.controllers), ...Object.values(this.volumes)]) fake[Symbol.dispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A request as people make it; `over` replaces whole fields. */
export function aRequest(over: Partial<NewNest> = {}): NewNest {
  return {
    owner: "octo",
    clusterId: "east",
    project: {
      org: "acme",
      repos: ["acme/widgets"],
      primary_repo: "acme/widgets",
      project_name: "Widgets",
      acmm_level: 2,
      is_public: true,
    },
    auth: { auth_method: "app", app_id: "123", installation_id: "456" },
    secrets: { appKey: new Secret(APP_KEY) },
    by: "octo",
    ...over,
  };
}

const effects = new Set(["apply", "patch", "scale", "delete", "exec"]);

/** The cluster with a gate before each call that changes something. */
function gated(cluster: MemoryCluster, gate: Gate): ManagedCluster {
  return new Proxy(cluster as ManagedCluster, {
    get(_, name) {
      const method = Reflect.get(cluster, name, cluster) as (...args: unknown[]) => unknown;
      if (typeof method !== "function") return method;
      const call = method.bind(cluster);
      if (!effects.has(String(name))) return call;
      return async (...args: unknown[]) => {
        await gate(`${String(name)} ${JSON.stringify((args[0] as { kind?: string }).kind)}`);
        return call(...args);
      };
    },
  });
}
