import { Secret } from "@nest/kit";
import { type HostedNestRecord, namespaceOf } from "@nest/protocol";
import { desiredObjects, type NestSecrets, type NestSpec, ownObject, RecordStore, yamlOf } from "@nest/provisioner";
import { readSecrets } from "./secrets-from-stdin.ts";
import { authOf, type InstanceFlags, recordOf, specOfFlags } from "./spec-flags.ts";
import { clusterFor, type InstanceDeps, type Verb } from "./verb.ts";

interface Wanted {
  readonly spec: NestSpec;
  readonly secrets: NestSecrets;
  readonly record: HostedNestRecord;
}

async function wantedOf(flags: InstanceFlags, deps: InstanceDeps): Promise<Wanted> {
  const given = flags.secrets ? await readSecrets(deps.input) : undefined;
  const auth = authOf(flags, { hasKey: given?.appKey !== undefined, hasToken: given?.githubToken !== undefined });
  const spec = await specOfFlags(flags, auth, deps);
  if (flags.id === undefined) deps.tell(`the nest's id is ${spec.id}`);
  const token = given === undefined ? {} : { dashboardToken: given.dashboardToken ?? new Secret(deps.random.hex(32)) };
  const status = spec.replicas === 0 ? "available" : "";
  const record = recordOf(spec, status, new Date(deps.clock.now()).toISOString());
  return { spec, secrets: { ...given, ...token }, record };
}

/** Prints the objects in order, or with `-meta` the hub's record. */
export const render: Verb = async (flags, deps) => {
  const { spec, secrets, record } = await wantedOf(flags, deps);
  const objects = desiredObjects(spec, secrets);
  deps.print(flags.meta ? `${JSON.stringify(record, undefined, 2)}\n` : yamlOf(objects));
  return 0;
};

/** Applies the objects in order. A Secret that is there is replaced only where secrets were given. */
export const apply: Verb = async (flags, deps) => {
  const { spec, secrets, record } = await wantedOf(flags, deps);
  const objects = desiredObjects(spec, secrets);
  const cluster = await clusterFor(flags, deps);
  const { signal } = deps;
  const namespace = { apiVersion: "v1", kind: "Namespace", name: namespaceOf(spec.id) };
  await ownObject({ cluster }, namespace, spec.hub.id, signal);
  for (const object of objects) {
    const { apiVersion, kind, metadata } = object;
    const ref = { apiVersion, kind, name: metadata.name, ...(metadata.namespace && { namespace: metadata.namespace }) };
    if (kind === "Secret" && !flags.secrets && (await cluster.read(ref, signal)) !== undefined) continue;
    await cluster.apply(object, { signal });
    deps.tell(`applied ${kind} ${metadata.name}`);
  }
  if (flags.data === undefined)
    deps.tell(`the hub needs its record: nest instance render -meta … > saas/nests/${spec.id}/meta.json`);
  else await keepRecord(flags.data, record, deps);
  deps.print(`${spec.id}\n`);
  return 0;
};

/** Writes `saas/nests/<id>/meta.json` under the hub's data folder; one that is there keeps what it has beside. */
export async function keepRecord(dataFolder: string, record: HostedNestRecord, deps: InstanceDeps): Promise<void> {
  const records = new RecordStore({ dataFolder, clock: deps.clock, log: deps.log });
  if ((await records.read(record.id)) === undefined) await records.create(record);
  else await records.change(record.id, (before) => ({ ...before, ...record, created_at: before.created_at }));
  deps.tell(`the hub's record is in ${dataFolder}/saas/nests/${record.id}/meta.json`);
}
