import { stat } from "node:fs/promises";
import { clusterOf, type ManagedCluster } from "@nest/cluster";
import { type Clock, type Environment, type Log, type Random, UsageError, variable } from "@nest/kit";
import type { InstanceFlags } from "./spec-flags.ts";
import { USAGE } from "./usage.ts";

export interface InstanceDeps {
  readonly environment: Environment;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly input: AsyncIterable<Uint8Array>;
  /** Results. */
  print(text: string): void;
  /** What a person should know beside them. */
  tell(text: string): void;
  readonly connect: (kubeconfig: string, context: string | undefined) => Promise<ManagedCluster>;
  readonly signal: AbortSignal;
}

/** One verb of `nest instance`; answers with the exit code. */
export type Verb = (flags: InstanceFlags, deps: InstanceDeps) => Promise<0 | 1>;

export const connectByKubeconfig: InstanceDeps["connect"] = (kubeconfig, context) => clusterOf(kubeconfig, context);

/** The cluster that flags or `KUBECONFIG` name. @throws UsageError where neither does: no other file is used; or where `-data` is no folder. */
export async function clusterFor(flags: InstanceFlags, deps: InstanceDeps): Promise<ManagedCluster> {
  const file = flags.kubeconfig ?? variable(deps.environment, "KUBECONFIG");
  if (file === undefined)
    throw new UsageError("flag -kubeconfig is required, or the variable KUBECONFIG", { usage: USAGE });
  await checkDataFolder(flags);
  return deps.connect(file, flags.context);
}

/** A folder with a typing error in its name would be made, and the hub would never hear of what was done. */
async function checkDataFolder({ data }: InstanceFlags): Promise<void> {
  if (data === undefined) return;
  const isFolder = await stat(data).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new UsageError(`-data: there is no folder ${data}`);
}
