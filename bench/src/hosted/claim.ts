import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { clusterOf, type ManagedCluster } from "@nest/cluster";
import { namespaceOf } from "@nest/protocol";
import { Samples } from "../figures/percentiles.ts";
import { ratioLine, short, table } from "../figures/table.ts";
import type { HubHere } from "../process/hub-here.ts";
import { HostedHere } from "./hosted-here.ts";
import { NodePlayer } from "./node-player.ts";

export interface ClaimBench {
  readonly claims: number;
  readonly print: (text: string) => void;
  readonly tell: (text: string) => void;
}

/** What the specification's figure is about: the claim of a placeholder asks for its pod within half a second. */
const AIM_MS = 500;
const WARM_UP = 3;

/** Claims of placeholders on a real API server, from the request at the hub until the Deployment is to have one pod. */
export async function benchClaim({ claims, print, tell }: ClaimBench): Promise<void> {
  tell("starting");
  const here = await HostedHere.start({ controllers: true });
  const player = new NodePlayer(here.cluster);
  try {
    const cluster = await clusterOf(await here.cluster.kubeconfig());
    const target = claims + WARM_UP + 1;
    const entry = { ingress: "ingress", storage_class: "shared", placeholders: { min: 1, target } };
    const hub = await here.hub(await here.dataFolder("hub", entry), { NEST_HUB_NESTS_AT_ONCE: "50" });
    const idle = await placeholders(hub, target, (made) => tell(`${made} of ${target} placeholders`));
    const samples = new Samples();
    const bare = new Samples();
    for (const [nth, id] of idle.slice(0, claims + WARM_UP).entries()) {
      tell(`claim ${nth + 1}`);
      const took = await untilScaled(cluster, id, () => claim(hub, id));
      const floor = await threeWrites(cluster, namespaceOf(id));
      if (nth < WARM_UP) continue;
      samples.add(took);
      bare.add(floor);
    }
    print(report(samples, bare));
  } finally {
    await player.close();
    await here.close();
  }
}

interface Listed {
  readonly nests: readonly { readonly id: string; readonly status: string }[];
}

/** Waits until the hub has filled the cluster's pool. */
async function placeholders(hub: HubHere, target: number, tell: (made: number) => void): Promise<readonly string[]> {
  for (let waited = 0; waited < 300; waited += 1) {
    const { nests: all } = await hub.call<Listed>("GET", "/api/saas/my-nests?limit=100");
    const ready = all.filter(({ status }) => status === "available").map(({ id }) => id);
    if (ready.length >= target) return ready;
    tell(ready.length);
    await sleep(1000);
  }
  throw new Error("the hub made too few placeholders");
}

function claim(hub: HubHere, id: string): Promise<unknown> {
  const project = { org: "acme", repos: "acme/one", project_name: "One" };
  return hub.call("POST", `/api/saas/nests/${id}/claim`, { owner: "ada", ...project, github_token: "ghp_of_nobody" });
}

/** Milliseconds from a claim until the cluster says that the nest's Deployment is to have one pod. */
async function untilScaled(cluster: ManagedCluster, id: string, begin: () => Promise<unknown>): Promise<number> {
  const stop = new AbortController();
  const heard = Promise.withResolvers<void>();
  const scaled = Promise.withResolvers<number>();
  const watching = cluster.watch(
    { apiVersion: "apps/v1", kind: "Deployment" },
    { namespace: namespaceOf(id) },
    {
      signal: stop.signal,
      onEvent: (event) => {
        if (event.type === "synced") heard.resolve();
        else if ((event.object.spec as { replicas?: number }).replicas === 1) scaled.resolve(performance.now());
      },
      onFault: heard.reject,
    },
  );
  try {
    await heard.promise;
    const began = performance.now();
    await begin();
    return (await scaled.promise) - began;
  } finally {
    stop.abort();
    await watching;
  }
}

/** Milliseconds of the three writes that a claim cannot do without, on the same objects, one after the other. */
async function threeWrites(cluster: ManagedCluster, namespace: string): Promise<number> {
  const { signal } = new AbortController();
  const patch = { metadata: { annotations: { bench: "yes" } } };
  const began = performance.now();
  await cluster.patch({ apiVersion: "v1", kind: "ConfigMap", namespace, name: "nest-config" }, patch, signal);
  await cluster.patch({ apiVersion: "v1", kind: "Secret", namespace, name: "nest-secrets" }, patch, signal);
  await cluster.patch({ apiVersion: "apps/v1", kind: "Deployment", namespace, name: "nest" }, patch, signal);
  return performance.now() - began;
}

function report(claims: Samples, writes: Samples): string {
  const [ours, floor] = [claims.sum(), writes.sum()];
  const row = (name: string, { count, p50, p99 }: typeof ours) => [name, String(count), short(p50), short(p99)];
  return [
    table(
      ["from the claim of a placeholder to its scale request", "claims", "p50 ms", "slowest ms"],
      [row("hub, over HTTP, real API server", ours), row("three writes by hand", floor)],
    ),
    ratioLine("p50", { name: "claim", value: ours.p50 }, { name: "three writes", value: floor.p50 }),
    `aim: p50 ${AIM_MS} ms, ${ours.p50 <= AIM_MS ? "kept" : "missed"}`,
  ].join("\n");
}
