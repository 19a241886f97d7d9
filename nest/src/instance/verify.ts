import { type Inspection, inspectNest } from "@nest/provisioner";
import { idOf } from "./spec-flags.ts";
import { clusterFor, type Verb } from "./verb.ts";

const AGAIN_MS = 2000;

/** Tells whether the rollout is done and each pod has the permissive security class. Exit 1 while one of both is not so. */
export const verify: Verb = async (flags, deps) => {
  const id = idOf(flags);
  const cluster = await clusterFor(flags, deps);
  const until = deps.clock.now() + (flags.wait ?? 0) * 1000;
  let seen = await inspectNest(cluster, id, flags.scc, deps.signal);
  while (!seen.isReady && deps.clock.now() < until) {
    await deps.clock.sleep(AGAIN_MS, deps.signal);
    seen = await inspectNest(cluster, id, flags.scc, deps.signal);
  }
  deps.print(flags.json ? `${JSON.stringify(seen)}\n` : textOf(id, seen));
  return seen.isReady ? 0 : 1;
};

function textOf(id: string, { isReady, faults, pods }: Inspection): string {
  const lines = pods.map(({ name, phase, securityClass }) => {
    const word = securityClass === undefined ? "" : `, security class ${securityClass}`;
    return `pod ${name}: ${phase}${word}`;
  });
  return `${[...lines, ...faults, isReady ? `${id} is ready` : `${id} is not ready`].join("\n")}\n`;
}
