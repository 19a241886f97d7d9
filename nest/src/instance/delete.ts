import { NestError, UsageError } from "@nest/kit";
import { namespaceOf } from "@nest/protocol";
import { RecordStore } from "@nest/provisioner";
import { idOf } from "./spec-flags.ts";
import { clusterFor, type Verb } from "./verb.ts";

const LOOK_MS = 1000;
const MOST_MS = 300_000;

/** Deletes the namespace with everything in it, then the hub's record. `-confirm` repeats the id: the data goes for good. */
export const remove: Verb = async (flags, deps) => {
  const id = idOf(flags);
  if (flags.confirm !== id)
    throw new UsageError("flag -confirm: repeat the id", {
      hint: `everything in ${namespaceOf(id)} is deleted, its data too`,
    });
  const cluster = await clusterFor(flags, deps);
  const { signal, clock } = deps;
  const ref = { apiVersion: "v1", kind: "Namespace", name: namespaceOf(id) };
  const there = await cluster.read(ref, signal);
  if (there !== undefined && there.metadata.labels?.app !== "nest") throw notANest(ref.name);
  if (there === undefined) deps.tell(`there is no Namespace ${ref.name}`);
  else await cluster.delete(ref, { signal });
  const until = clock.now() + MOST_MS;
  while ((await cluster.read(ref, signal)) !== undefined) {
    if (clock.now() >= until)
      throw new NestError("nest_namespace_stuck", `Namespace ${ref.name} does not end`, {
        hint: "see its conditions for what holds it; the hub's record was left as it is",
      });
    await clock.sleep(LOOK_MS, signal);
  }
  if (flags.data !== undefined)
    await new RecordStore({ dataFolder: flags.data, clock, log: deps.log }).bury(id, "nest instance");
  deps.print(`${id} is deleted\n`);
  return 0;
};

function notANest(namespace: string): NestError {
  return new NestError("nest_belongs_elsewhere", `Namespace ${namespace} is no nest's`, {
    hint: "a nest's namespace is labelled app=nest",
  });
}
