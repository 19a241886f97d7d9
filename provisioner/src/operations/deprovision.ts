import type { KubernetesObject } from "@nest/cluster";
import { NestError, plainLine } from "@nest/kit";
import { namespaceOf } from "@nest/protocol";
import { volumeName } from "../manifests/volume.ts";
import { STEP_MS } from "../work/run-steps.ts";
import type { Step, StepContext } from "../work/step.ts";
import { ownObject } from "./ownership.ts";
import { failedRecord, type Operation, type Tools } from "./tools.ts";

/** How often a namespace that ends is looked at. */
const LOOK_MS = 1000;

/**
 * Removes a nest: its namespace with everything in it, its volume, its storage, and last its record, which leaves a tombstone.
 * Storage goes only when nothing can write to it any more. What could not be removed is named, and the record stays until it is.
 */
export function deprovision(tools: Tools): Operation {
  return {
    steps: () => removalSteps(tools),
    done: () => undefined,
    failed: (record, { step, reason }) => failedRecord(record, `partially deleted, check hub logs: ${step}: ${reason}`),
  };
}

/** The steps that remove what a nest is made of on its cluster. */
export function removalSteps(tools: Tools): readonly Step[] {
  return [
    { name: "remove-namespace", run: (context) => removeNamespace(context, tools) },
    { name: "namespace-gone", isPatient: true, run: untilGone },
    { name: "remove-volume", run: (context) => removeVolume(context, tools) },
    {
      name: "remove-storage",
      run: async (context) => tools.storage.remove(await context.record(), context.home.record, context.signal),
    },
  ];
}

function namespaceRef(id: string) {
  return { apiVersion: "v1", kind: "Namespace", name: namespaceOf(id) };
}

async function removeNamespace({ home, id, signal }: StepContext, tools: Tools): Promise<void> {
  const there = await ownObject(home, namespaceRef(id), tools.defaults.hub.id, signal);
  if (there !== undefined && there.metadata.deletionTimestamp === undefined)
    await home.cluster.delete(namespaceRef(id), { signal });
}

/** @throws NestError `nest_namespace_stuck` with what holds it. */
async function untilGone(context: StepContext): Promise<void> {
  const { home, id, signal, clock } = context;
  let [since, before] = [clock.now(), ""];
  for (;;) {
    const there = await home.cluster.read(namespaceRef(id), signal);
    if (there === undefined) return;
    const held = holdersOf(there);
    if (held !== before) [since, before] = [clock.now(), held];
    await context.note(`the namespace is ending${held === "" ? "" : `: ${held}`}`);
    if (clock.now() - since >= STEP_MS)
      throw new NestError(
        "nest_namespace_stuck",
        `Namespace ${there.metadata.name} does not end: ${held || "nobody says why"}`,
        {
          hint: "remove what holds it, then delete the nest again",
        },
      );
    await clock.sleep(LOOK_MS, signal);
  }
}

/** What the cluster says of a namespace that ends: what is left, and which finalizers hold it. */
function holdersOf(namespace: KubernetesObject): string {
  const conditions = (namespace.status as { readonly conditions?: unknown } | undefined)?.conditions;
  if (!Array.isArray(conditions)) return "";
  const messages = conditions
    .filter((one) => one?.status === "True" && typeof one.message === "string")
    .map((one) => String(one.message));
  return plainLine(messages.join("; ")).slice(0, 400);
}

async function removeVolume({ home, id, signal }: StepContext, tools: Tools): Promise<void> {
  const ref = { apiVersion: "v1", kind: "PersistentVolume", name: volumeName(id) };
  const record = await tools.records.read(id);
  if (record === undefined || tools.storage.volume(record, home.record) === undefined) return;
  if ((await ownObject(home, ref, tools.defaults.hub.id, signal)) !== undefined)
    await home.cluster.delete(ref, { signal });
}
