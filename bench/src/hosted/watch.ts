import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { clusterOf, type KubernetesObject, type ManagedCluster } from "@nest/cluster";
import { namespaceOf } from "@nest/protocol";
import { type NestSpec, objectsByStep } from "@nest/provisioner";
import type { RealCluster } from "@nest/test/real-cluster";
import { ratioLine, short, table } from "../figures/table.ts";
import type { HubHere } from "../process/hub-here.ts";
import { CLUSTER_ID, HostedHere, HUB_ID } from "./hosted-here.ts";
import { runningStatus } from "./node-player.ts";

export interface WatchBench {
  readonly nests: number;
  readonly print: (text: string) => void;
  readonly tell: (text: string) => void;
}

const AIM_MIB = 250;
const AT_ONCE = 20;
const KINDS = ["pods", "deployments"];
const SETTLED_MS = 10_000;
const MERGE = "application/merge-patch+json";
const signal = new AbortController().signal;

/** A hub that watches so many nests of a real API server, beside the same hub that is told not to touch the cluster. */
export async function benchWatch({ nests, print, tell }: WatchBench): Promise<void> {
  tell("starting");
  const here = await HostedHere.start({ controllers: false });
  try {
    const cluster = await clusterOf(await here.cluster.kubeconfig());
    const specs = Array.from({ length: nests }, (_, nth) => specOf(nth));
    await inTurn(specs, async (spec, nth) => {
      if (nth % 50 === 0) tell(`${nth} of ${nests} nests`);
      await makeNest(here.cluster, cluster, spec);
    });
    const rows: Row[] = [];
    for (const [name, entry] of [
      ["not touching the cluster", { pull_only: true }],
      ["watching it", {}],
    ] as const) {
      tell(`a hub ${name}`);
      const folder = await here.dataFolder(name.replaceAll(" ", "-"), { ingress: "ingress", ...entry });
      await inTurn(specs, (spec) => writeRecord(folder, spec));
      const hub = await here.hub(folder);
      rows.push(await rowOf(name, hub, here.cluster, specs));
      await hub.stop();
    }
    print(report(nests, rows));
  } finally {
    await here.close();
  }
}

interface Row {
  readonly name: string;
  readonly mib: number;
  readonly watches: string;
  readonly connections: number;
}

/** What a hub takes once it knows all, and after every pod has changed once. */
async function rowOf(name: string, hub: HubHere, real: RealCluster, specs: readonly NestSpec[]): Promise<Row> {
  const before = await openWatches(real);
  await hub.call("GET", "/api/saas/clusters");
  await sleep(SETTLED_MS);
  await inTurn(specs, (spec) => changePod(real, spec));
  await sleep(SETTLED_MS);
  const after = await openWatches(real);
  return {
    name,
    mib: residentMib(hub.pid),
    watches: KINDS.map((kind) => `${(after.get(kind) ?? 0) - (before.get(kind) ?? 0)} ${kind}`).join(", "),
    connections: connectionsTo(hub.pid, real.port),
  };
}

function report(nests: number, rows: readonly Row[]): string {
  const [without, watching] = rows;
  return [
    table(
      [`a hub with ${nests} nests`, "resident MiB", "open watches", "connections"],
      rows.map(({ name, mib, watches, connections }) => [name, short(mib), watches, String(connections)]),
    ),
    ratioLine(
      "resident memory",
      { name: "watching", value: watching?.mib ?? Number.NaN },
      { name: "not touching", value: without?.mib ?? Number.NaN },
    ),
    `aim: ${AIM_MIB} MiB, ${(watching?.mib ?? Number.NaN) <= AIM_MIB ? "kept" : "missed"}`,
  ].join("\n");
}

/** How many watches of each kind the API server itself says are open. */
async function openWatches(real: RealCluster): Promise<ReadonlyMap<string, number>> {
  const lines = (await real.call("GET", "/metrics")).text.split("\n");
  const open = new Map<string, number>();
  for (const line of lines) {
    const kind = /resource="([^"]+)"/.exec(line)?.[1] ?? "";
    if (!line.startsWith("apiserver_longrunning_requests{") || !line.includes('verb="WATCH"')) continue;
    open.set(kind, (open.get(kind) ?? 0) + Number(line.slice(line.lastIndexOf(" "))));
  }
  return open;
}

function specOf(nth: number): NestSpec {
  const id = `hosted-acme-one-${String(nth).padStart(4, "0")}`;
  return {
    id,
    owner: `owner-${nth}`,
    cluster: { id: CLUSTER_ID, domain: "nests.example.org", ingress: "ingress" },
    project: {
      org: "acme",
      repos: ["acme/one", "acme/two"],
      primaryRepo: "acme/one",
      name: "One",
      level: 2,
      isPublic: true,
    },
    auth: { kind: "token" },
    image: "registry.example.org/nest-spoke:1",
    replicas: 1,
    hub: { id: HUB_ID, url: "https://hub.example.org", isProxy: true },
  };
}

/** Namespace, Deployment and a running pod, as controllers would have made it. */
async function makeNest(real: RealCluster, cluster: ManagedCluster, spec: NestSpec): Promise<void> {
  const { namespace, deployment } = objectsByStep(spec);
  for (const object of [...namespace, ...deployment]) await cluster.apply(object as KubernetesObject, { signal });
  const [{ spec: wanted } = { spec: undefined }] = deployment as unknown as readonly { readonly spec: Template }[];
  const { metadata, spec: pod } = wanted?.template ?? {};
  await real.create(podsOf(spec), {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...metadata, name: "nest-0" },
    spec: { ...pod, nodeName: "stub" },
  });
  await changePod(real, spec);
}

interface Template {
  readonly template: { readonly metadata: object; readonly spec: object };
}

async function changePod(real: RealCluster, spec: NestSpec): Promise<void> {
  const status = runningStatus(new Date().toISOString());
  const { status: code, text } = await real.call("PATCH", `${podsOf(spec)}/nest-0/status`, { status }, MERGE);
  if (code !== 200) throw new Error(text);
}

function podsOf({ id }: NestSpec): string {
  return `/api/v1/namespaces/${namespaceOf(id)}/pods`;
}

async function writeRecord(dataFolder: string, { id, owner, project }: NestSpec): Promise<void> {
  const folder = join(dataFolder, "saas/nests", id);
  await mkdir(folder, { recursive: true });
  const { org, repos, primaryRepo, name } = project;
  const record = { id, owner, org, repos, primary_repo: primaryRepo, project_name: name, acmm_level: 2 };
  await writeFile(
    join(folder, "meta.json"),
    JSON.stringify({ ...record, status: "running", cluster_id: CLUSTER_ID, auth_method: "token" }),
  );
}

async function inTurn<Item>(items: readonly Item[], act: (item: Item, nth: number) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE)
    await Promise.all(items.slice(at, at + AT_ONCE).map((item, nth) => act(item, at + nth)));
}

function residentMib(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

/** How many connections a process has to a port of this machine. */
function connectionsTo(pid: number, port: number): number {
  const own = new Set<string>();
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    const socket = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${name}`));
    if (socket?.[1] !== undefined) own.add(socket[1]);
  }
  const to = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const ESTABLISHED = "01";
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((field) => field[2]?.endsWith(to) && field[3] === ESTABLISHED && own.has(field[9] ?? "")).length;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
