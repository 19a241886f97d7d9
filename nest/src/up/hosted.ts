import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, type Environment, NestError, type ProgressLine, sentenceOf } from "@nest/kit";
import {
  buildPrograms,
  endLeftProcesses,
  findParts,
  LocalCluster,
  type LocalPlan,
  type MissingHere,
  planLocalCluster,
  type ServerPrograms,
} from "@nest/local-cluster";
import { ClusterEntryHere, PORTS_FOR_PODS } from "./cluster-entry.ts";
import type { Running } from "./running.ts";

/** While the API server is built, the terminal says so this often. */
const STILL_MS = 60_000;
const ABOUT = "some ten minutes on two cores, once";

export interface HostedDeps {
  /** Where the cluster keeps everything. */
  readonly folder: string;
  readonly hubFolder: string;
  readonly ports: { readonly hub: number | undefined; readonly entrance: number | undefined };
  /** The code host's own address, and its port on loopback. */
  readonly codeHostUrl: string;
  readonly environment: Environment;
  readonly clock: Clock;
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
 * Starts the cluster for hosted nests, before the hub that works on it. Where something is missing, cannot be started or has to be
 * built first, the hub starts without it, and its pages say what is missing.
 */
export async function startHosted(deps: HostedDeps): Promise<Hosted> {
  const { environment, progress } = deps;
  const image = imageIn(environment);
  progress.show("looking for what hosted nests need …");
  const clusters = new ClusterEntryHere(deps.hubFolder, deps.clock);
  const without = async (missing: readonly MissingHere[]): Promise<Hosted> => {
    await clusters.lacks(missing);
    return { hubEnvironment: {}, missing, isBuilding: false, finish: async () => {} };
  };
  const parts = await findParts(image, environment);
  if (parts.missing.length > 0) return without(parts.missing);
  try {
    const plan = await planLocalCluster(deps.folder, deps.ports);
    const hubEnvironment = {
      NEST_HUB_PORT: String(plan.ports.hub),
      NEST_HUB_HOSTS: plan.gateway,
      NEST_SPOKE_IMAGE: image,
    };
    const start = clusterStarter(deps, plan, clusters);
    if (parts.programs !== undefined) {
      await start(parts.programs);
      return { hubEnvironment, missing: [], isBuilding: false, finish: async () => {} };
    }
    await clusters.lacks([{ what: `the Kubernetes API server is being built: ${ABOUT}` }]);
    return { hubEnvironment, missing: [], isBuilding: true, finish: () => buildAndStart(deps, start, clusters) };
  } catch (thrown) {
    return without([faultOf(thrown)]);
  }
}

/** Builds the API server, tells on the terminal how it goes, and starts the cluster with it. */
async function buildAndStart(
  { clock, environment, running, tell }: HostedDeps,
  start: (programs: ServerPrograms) => Promise<void>,
  clusters: ClusterEntryHere,
): Promise<void> {
  const stop = new AbortController();
  running.stops.push(async () => stop.abort(new Error("stopped")));
  const startedAt = clock.now();
  const minutes = () => Math.round((clock.now() - startedAt) / STILL_MS);
  tell(`hosted nests: building the Kubernetes API server (${ABOUT}) …`);
  const still = clock.every(STILL_MS, () => tell(`hosted nests: still building, ${minutes()} min so far`));
  try {
    const programs = await buildPrograms(environment, stop.signal);
    await start(programs);
    tell(`hosted nests: ready, after ${minutes()} min`);
  } catch (thrown) {
    if (running.stopping) return;
    const fault = faultOf(thrown);
    await clusters.lacks([fault]);
    tell(`hosted nests: ${fault.what}`);
  } finally {
    still();
  }
}

/** Starts the cluster, once; it is stopped after the hub that works on it, also when it is only about to start by then. */
function clusterStarter(deps: HostedDeps, plan: LocalPlan, clusters: ClusterEntryHere) {
  const { running, progress, clock, environment, tell, codeHostUrl, folder } = deps;
  let starting: Promise<LocalCluster> | undefined;
  running.stops.push(async () => (await starting?.catch(() => undefined))?.[Symbol.asyncDispose]());
  const onFault = (fault: unknown) => {
    if (!running.stopping) tell(`hosted nests: ${sentenceOf(fault)}`);
  };
  return async (programs: ServerPrograms): Promise<void> => {
    const startedAt = clock.now();
    let what = "";
    const show = () => {
      // Once everything runs, the terminal belongs to what happens.
      if (!running.started) progress.show(`starting ${what} … ${Math.round((clock.now() - startedAt) / 1000)} s`);
    };
    const ticking = clock.every(1000, show);
    const onStart = (part: string) => {
      what = part;
      show();
    };
    const servers = new Map([
      [PORTS_FOR_PODS.hub, () => plan.ports.hub],
      [PORTS_FOR_PODS.codeHost, () => Number(new URL(codeHostUrl).port)],
    ]);
    const podman = podmanEnvironment(environment);
    starting = LocalCluster.start({ folder, plan, programs, environment: podman, servers, onStart, onFault });
    try {
      await clusters.runs(plan, (await starting).kubeconfig, codeHostUrl);
    } finally {
      ticking();
    }
  };
}

/** A failure as something that is missing, with the way out of it. */
function faultOf(thrown: unknown): MissingHere {
  const hint = thrown instanceof NestError ? thrown.hint : undefined;
  return { what: [sentenceOf(thrown), hint].filter(Boolean).join("; ").slice(0, 500) };
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
