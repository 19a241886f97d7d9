import { NestError } from "@nest/kit";
import type { HostedNestRecord } from "@nest/protocol";
import { SECRETS } from "../manifests/config.ts";
import { ownedMetadataOf } from "../manifests/metadata.ts";
import { authorityOf } from "../manifests/spec.ts";
import { objectSteps, objectsByStep } from "../nest.ts";
import { removalSteps } from "../operations/deprovision.ts";
import { ownObject } from "../operations/ownership.ts";
import { deploymentRef, stoppedStep } from "../operations/scale-steps.ts";
import { doneRecord, type Operation, specOf, type Tools } from "../operations/tools.ts";
import type { Step, StepContext, WorkCluster } from "../work/step.ts";
import { waitUntilReady } from "../work/wait-rollout.ts";
import { copyData, proveArrival } from "./copy-data.ts";
import { startHelper, stopHelper } from "./helper-pod.ts";

/**
 * Moves a nest to another cluster. The old nest is stopped, not removed, so that nothing changes while its data travels. The data
 * is read back and compared, the new nest becomes ready, the record points to it, and only then the old one is removed. If anything
 * fails before that, the old nest runs on as it was, and the copy stays behind, stopped.
 */
export function migrate(tools: Tools): Operation {
  const target = (context: StepContext) => targetOf(context, tools);
  const steps: readonly Step[] = [
    { name: "stop-old", run: stopOld },
    stoppedStep,
    { name: "target", isPatient: true, run: async (context) => applyTarget(context, await target(context), tools) },
    { name: "copy", isPatient: true, run: async (context) => copy(context, await target(context), tools) },
    { name: "proof", isPatient: true, run: async (context) => prove(context, await target(context), tools) },
    { name: "end-copy", run: async (context) => endCopy(context, await target(context)) },
    { name: "start-new", isPatient: true, run: async (context) => startNew(context, await target(context)) },
    { name: "repoint", run: (context) => repoint(context, tools) },
    ...removalSteps(oldHome(tools)).map((step) => ({ ...step, name: `old-${step.name}` })),
  ];
  return {
    steps: () => steps,
    done: (record) => doneRecord(record, { status: (record.replicas ?? 1) > 0 ? "running" : "paused" }),
    failed,
    undo: (context) => putBack(context, target),
  };
}

/** The storage of the old place is what the operation remembers, once the record speaks of the new one. */
function oldHome(tools: Tools): Tools {
  const remembered = (record: HostedNestRecord): HostedNestRecord => {
    const { operation } = record;
    if (operation === undefined || !isMoved(record)) return record;
    return {
      ...record,
      objstore_file_system_id: text(operation.from_file_system),
      objstore_export_id: text(operation.from_export),
    };
  };
  const { storage } = tools;
  return {
    ...tools,
    storage: {
      make: (...made) => storage.make(...made),
      volume: (record, cluster) => storage.volume(remembered(record), cluster),
      remove: (record, cluster, signal) => storage.remove(remembered(record), cluster, signal),
    },
  };
}

function failed(
  record: HostedNestRecord,
  { step, reason }: { readonly step: string; readonly reason: string },
): HostedNestRecord {
  const { operation, ...rest } = record;
  if (isMoved(record)) {
    const error = `moved, but the old nest on ${operation?.from_cluster} is not wholly removed: ${step}: ${reason}`;
    return { ...rest, status: "running", error: error.slice(0, 4000) };
  }
  const error = `migration to ${operation?.to_cluster} failed, the nest stays on ${record.cluster_id}: ${step}: ${reason}`;
  return { ...rest, error: error.slice(0, 4000), failed_operation: operation };
}

/** Whether the record points to the new place already. */
function isMoved({ operation, cluster_id: clusterId }: HostedNestRecord): boolean {
  return operation?.kind === "migrate" && operation.from_cluster !== undefined && operation.from_cluster !== clusterId;
}

async function targetOf(context: StepContext, tools: Tools): Promise<WorkCluster> {
  const { operation } = await context.record();
  if (operation?.to_cluster === undefined) throw new NestError("cluster_unknown", "the migration names no cluster");
  return tools.clusters.get(operation.to_cluster);
}

/** Stopped by its scale alone: the record goes on to say how many pods the nest shall have. */
async function stopOld({ home, id, signal }: StepContext): Promise<void> {
  await home.cluster.scale(deploymentRef(id), 0, signal);
}

async function applyTarget(context: StepContext, target: WorkCluster, tools: Tools): Promise<void> {
  const { signal, id, home } = context;
  const record = await context.record();
  const made = await tools.storage.make(id, target.record, signal);
  const { secrets: _, ...ids } = made ?? { objstore_file_system_id: "", objstore_export_id: "" };
  await context.change((before) => ({
    ...before,
    operation: before.operation && {
      ...before.operation,
      from_file_system: before.objstore_file_system_id,
      from_export: before.objstore_export_id,
      to_ids: ids,
    },
  }));
  const spec = { ...specOf({ ...record, ...ids }, target.record, tools), replicas: 0 };
  const byStep = objectsByStep(spec);
  for (const step of objectSteps) {
    if (step === "secrets") await copySecret(home, target, ownedMetadataOf(spec, SECRETS), signal);
    for (const object of byStep[step]) {
      const { apiVersion, kind, metadata } = object;
      if (metadata.namespace === undefined)
        await ownObject(target, { apiVersion, kind, name: metadata.name }, tools.defaults.hub.id, signal);
      await target.cluster.apply(object, { signal });
    }
  }
}

/** The hub does not know the values; they go from one cluster to the other and are kept nowhere between. */
async function copySecret(
  home: WorkCluster,
  target: WorkCluster,
  metadata: { readonly name: string; readonly namespace?: string },
  signal: AbortSignal,
): Promise<void> {
  const { data } = await home.cluster.secret(metadata.namespace ?? "", SECRETS, signal);
  await target.cluster.apply({ apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data }, { signal });
}

async function copy(context: StepContext, target: WorkCluster, tools: Tools): Promise<void> {
  await startHelpers(context, target, tools);
  await copyData({ ...places(context, target), onProgress: (words) => context.note(words) });
}

async function prove(context: StepContext, target: WorkCluster, tools: Tools): Promise<void> {
  await startHelpers(context, target, tools);
  await context.note(`${await proveArrival(places(context, target))} files arrived as they were`);
}

async function endCopy({ home, id, signal }: StepContext, target: WorkCluster): Promise<void> {
  await Promise.all([home, target].map((place) => stopHelper(place, id, signal)));
}

/** Those that run already are left as they are. */
async function startHelpers(context: StepContext, target: WorkCluster, tools: Tools): Promise<void> {
  const record = await context.record();
  const places = [context.home, target];
  await Promise.all(places.map((place) => startHelper(place, specOf(record, place.record, tools), context)));
}

function places({ home, id, signal }: StepContext, target: WorkCluster) {
  return { from: { cluster: home.cluster, nestId: id }, to: { cluster: target.cluster, nestId: id }, signal };
}

async function startNew(context: StepContext, target: WorkCluster): Promise<void> {
  const { replicas = 1 } = await context.record();
  if (replicas === 0) return;
  await target.cluster.scale(deploymentRef(context.id), 1, context.signal);
  await waitUntilReady({ ...context, home: target });
}

async function repoint(context: StepContext, tools: Tools): Promise<void> {
  const target = await targetOf(context, tools);
  await context.change((record) => {
    const ids = (record.operation?.to_ids ?? {}) as Partial<HostedNestRecord>;
    const subdomain = authorityOf({ id: record.id, cluster: target.record }) ?? "";
    return { ...record, ...ids, cluster_id: target.record.id, subdomain };
  });
}

/** Before the record points elsewhere everything is as it was: the copy is stopped and the old nest runs again. */
async function putBack(context: StepContext, target: (context: StepContext) => Promise<WorkCluster>): Promise<void> {
  const record = await context.record();
  if (isMoved(record)) return;
  const { home, id, signal } = context;
  const wasStarted = record.steps.some(({ name, attempt }) => name === "start-new" && attempt > 0);
  const there = await target(context).catch(() => undefined);
  // Two nests of one identity would undo each other's work: unless the new one is stopped, the old one stays so.
  if (wasStarted) await (await target(context)).cluster.scale(deploymentRef(id), 0, signal);
  if (there !== undefined) await stopHelper(there, id, signal).catch(() => undefined);
  await stopHelper(home, id, signal).catch(() => undefined);
  await home.cluster.scale(deploymentRef(id), record.replicas ?? 1, signal);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
