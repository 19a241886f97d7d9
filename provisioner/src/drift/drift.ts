import type { KubernetesObject, ObjectRef } from "@nest/cluster";
import type { HostedNestRecord } from "@nest/protocol";
import { secret } from "../manifests/config.ts";
import type { DesiredObject } from "../manifests/object.ts";
import { desiredObjects } from "../nest.ts";
import { type SpecTools, specOf } from "../operations/tools.ts";
import type { WorkCluster } from "../work/step.ts";
import { differences } from "./differences.ts";

/** One way in which a nest is otherwise than the hub wants it. */
export interface NestDrift {
  /** As `Deployment nest`. */
  readonly what: string;
  /** Absent when the whole object is missing. */
  readonly field?: string;
  readonly wanted: string;
  readonly found: string;
}

/**
 * Compares all objects of a nest with those on its cluster. Of the Secret only the keys are compared, and none of its values is
 * told, because the hub does not know them.
 */
export async function driftOf(
  home: WorkCluster,
  record: HostedNestRecord,
  tools: SpecTools,
  signal: AbortSignal,
): Promise<readonly NestDrift[]> {
  const spec = specOf(record, home.record, tools);
  const wanted = desiredObjects(spec);
  const keys = secret(spec, {});
  const found = await Promise.all([...wanted, keys].map((object) => home.cluster.read(refTo(object), signal)));
  const drift = wanted.flatMap((object, at) => objectDrift(object, found[at]));
  return [...drift, ...secretDrift(keys, found.at(-1))];
}

function objectDrift(wanted: DesiredObject, found: KubernetesObject | undefined): readonly NestDrift[] {
  const what = nameOf(wanted);
  if (found === undefined) return [{ what, wanted: "present", found: "absent" }];
  const { apiVersion: _, ...rest } = wanted;
  return differences(rest, found).map((one) => ({ what, ...one }));
}

function secretDrift(wanted: DesiredObject, found: KubernetesObject | undefined): readonly NestDrift[] {
  const what = nameOf(wanted);
  if (found === undefined) return [{ what, wanted: "present", found: "absent" }];
  const there = Object.keys((found.data ?? {}) as object);
  return Object.keys(wanted.data as object)
    .filter((key) => !there.includes(key))
    .map((key) => ({ what, field: `data.${key}`, wanted: "present", found: "absent" }));
}

function nameOf({ kind, metadata }: DesiredObject): string {
  return `${kind} ${metadata.name}`;
}

function refTo({ apiVersion, kind, metadata }: DesiredObject): ObjectRef {
  const { name, namespace } = metadata;
  return namespace === undefined ? { apiVersion, kind, name } : { apiVersion, kind, name, namespace };
}
