import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Environment, type ProgressLine, sentenceOf, silentLog, systemClock } from "@nest/kit";
import {
  buildPrograms,
  endLeftProcesses,
  findParts,
  LocalCluster,
  type LocalPlan,
  type MissingHere,
  type PartsHere,
  planLocalCluster,
} from "@nest/local-cluster";
import { ClustersFile } from "@nest/provisioner";
import type { Running } from "./running.ts";

/** Under these ports of the gateway, pods reach what listens on loopback. */
const PORTS_FOR_PODS = { hub: 8080, codeHost: 8090 };
const CLUSTER = "here";
const DOMAIN = "localhost";

export interface HostedDeps {
  /** Where the cluster keeps everything. */
  readonly folder: string;
  readonly hubFolder: string;
  readonly ports: { readonly hub: number | undefined; readonly entrance: number | undefined };
  /** The code host's own address, and its port on loopback. */
  readonly codeHostUrl: string;
  readonly environment: Environment;
  readonly running: Running;
  readonly progress: ProgressLine;
  /** Says a line on the terminal. */
  readonly tell: (line: string) => void;
}

/** Hosted nests of `nest up`: a cluster on this machine, or what is missing for one. */
export interface Hosted {
  /** What the hub is told. */
  readonly hubEnvironment: Readonly<Record<string, string>>;
  readonly missing: readonly MissingHere[];
  readonly isBuilding: boolean;
  /** Builds what has to be built, and starts the cluster then. Nothing to do where it runs already or cannot. */
  finish(): Promise<void>;
}

/** Forgets all hosted nests of a folder. What a run that was killed has left running is ended first. */
export async function forgetHosted(folder: string): Promise<void> {
  await endLeftProcesses(join(folder, "server"));
  await rm(folder, { recursive: true, force: true });
}

/**
 * Starts the cluster for hosted nests, before the hub that works on it. Where something is missing, or has to be built first, the
 * hub starts without it, and its pages say what is missing.
 *
 * @throws NestError `local_cluster_failed`.
 */
export async function startHosted(deps: HostedDeps): Promise<Hosted> {
  const { environment, ports, progress, folder } = deps;
  const image = imageIn(environment);
  progress.show("looking for what hosted nests need …");
  const parts = await findParts(image, environment);
  const clusters = new ClusterEntryHere(deps.hubFolder);
  if (parts.missing.length > 0) {
    await clusters.lacks(parts.missing);
    return { hubEnvironment: {}, missing: parts.missing, isBuilding: false, finish: async () => {} };
  }
  const plan = await planLocalCluster(folder, {
    ...(ports.hub === undefined ? {} : { hub: ports.hub }),
    ...(ports.entrance === undefined ? {} : { entrance: ports.entrance }),
  });
  const hubEnvironment = {
    NEST_HUB_PORT: String(plan.ports.hub),
    NEST_HUB_HOSTS: plan.gateway,
    NEST_SPOKE_IMAGE: image,
  };
  let cluster: LocalCluster | undefined;
  // Before the hub is started: what was started last is stopped first, and the hub works on the cluster.
  deps.running.stops.push(async () => cluster?.[Symbol.asyncDispose]());
  const start = async (programs: NonNullable<PartsHere["programs"]>) => {
    const kubeconfig = await startCluster(deps, plan, programs, (one) => {
      cluster = one;
    });
    await clusters.runs(entryOf(plan, kubeconfig, deps.codeHostUrl));
  };
  if (parts.programs !== undefined) {
    await start(parts.programs);
    return { hubEnvironment, missing: [], isBuilding: false, finish: async () => {} };
  }
  const building = { what: "the Kubernetes API server is being built: some ten minutes on two cores, once" };
  await clusters.lacks([building]);
  return {
    hubEnvironment,
    missing: [],
    isBuilding: true,
    finish: () => buildAndStart(deps, start, clusters),
  };
}

async function buildAndStart(
  { environment, running, tell }: HostedDeps,
  start: (programs: NonNullable<PartsHere["programs"]>) => Promise<void>,
  clusters: ClusterEntryHere,
): Promise<void> {
  const stop = new AbortController();
  running.stops.push(async () => stop.abort(new Error("stopped")));
  const startedAt = performance.now();
  try {
    const programs = await buildPrograms(environment, stop.signal);
    tell(`hosted nests: the API server is built (${Math.round((performance.now() - startedAt) / 1000)} s)`);
    await start(programs);
    tell("hosted nests: ready");
  } catch (thrown) {
    if (running.stopping) return;
    const what = sentenceOf(thrown).slice(0, 400);
    await clusters.lacks([{ what }]);
    tell(`hosted nests: ${what}`);
  }
}

async function startCluster(
  deps: HostedDeps,
  plan: LocalPlan,
  programs: NonNullable<PartsHere["programs"]>,
  started: (cluster: LocalCluster) => void,
): Promise<string> {
  const { running, progress, environment, tell, codeHostUrl } = deps;
  const startedAt = performance.now();
  const cluster = await LocalCluster.start({
    folder: deps.folder,
    plan,
    programs,
    environment: podmanEnvironment(environment),
    servers: new Map([
      [PORTS_FOR_PODS.hub, () => plan.ports.hub],
      [PORTS_FOR_PODS.codeHost, () => Number(new URL(codeHostUrl).port)],
    ]),
    onStart: (what) => progress.show(`starting ${what} … (${Math.round((performance.now() - startedAt) / 1000)} s)`),
    onFault: (fault) => {
      if (!running.stopping) tell(`hosted nests: ${sentenceOf(fault)}`);
    },
  });
  started(cluster);
  return cluster.kubeconfig;
}

/** The cluster as the hub knows it. */
function entryOf({ ports, gateway }: LocalPlan, kubeconfig: string, codeHostUrl: string): Entry {
  return {
    name: "this machine",
    kubeconfig_path: kubeconfig,
    domain: DOMAIN,
    ingress: "ingress",
    ingress_port: ports.entrance,
    hub_url: `http://${gateway}:${PORTS_FOR_PODS.hub}`,
    environment: {
      NEST_GITHUB_API_URL: `http://${gateway}:${PORTS_FOR_PODS.codeHost}`,
      NEST_GITHUB_URL: codeHostUrl,
    },
  };
}

type Entry = Readonly<Record<string, unknown>>;

/** Our entry among those of the hub's `clusters.json`, which it reads live. */
class ClusterEntryHere {
  readonly #file: ClustersFile;

  constructor(hubFolder: string) {
    this.#file = new ClustersFile({ dataFolder: hubFolder, clock: systemClock(), log: silentLog() });
  }

  lacks(missing: readonly MissingHere[]): Promise<void> {
    return this.#put({ name: "this machine", domain: DOMAIN, ingress: "ingress", missing });
  }

  runs(entry: Entry): Promise<void> {
    return this.#put({ ...entry, missing: null });
  }

  async #put(entry: Entry): Promise<void> {
    const isThere = (await this.#file.find(CLUSTER)) !== undefined;
    if (!isThere) await this.#file.add({ id: CLUSTER });
    await this.#file.set(CLUSTER, entry);
  }
}

function imageIn({ NEST_SPOKE_IMAGE: image, NEST_IMAGE_PREFIX: prefix = "localhost" }: Environment): string {
  return image ?? `${prefix.replace(/\/+$/, "")}/nest-spoke:latest`;
}

/** What podman reads: where its configuration, storage and sockets are. */
function podmanEnvironment(environment: Environment): Record<string, string> {
  const wanted = /^(?:PATH|HOME|TMPDIR|CONTAINERS_\w+|XDG_\w+)$/;
  const entries = Object.entries(environment).filter(([name, value]) => wanted.test(name) && value !== undefined);
  return Object.fromEntries(entries) as Record<string, string>;
}
