import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NestError, Secret } from "@nest/kit";
import type { HostedNestRecord } from "@nest/protocol";
import {
  Clusters,
  CredentialStore,
  type NestSecrets,
  noStorageExport,
  Provisioner,
  RecordStore,
} from "@nest/provisioner";
import { keepRecord } from "./render.ts";
import { readSecrets } from "./secrets-from-stdin.ts";
import { authOf, clusterOfFlags, type InstanceFlags, idOf, recordOf, required, specOfFlags } from "./spec-flags.ts";
import { clusterFor, type InstanceDeps, type Verb } from "./verb.ts";

/** Gives a placeholder to its owner, with the steps that the hub takes itself on clusters that it reaches. */
export const claim: Verb = async (flags, deps) => {
  const [id, owner] = [idOf(flags), required(flags, "owner")];
  const { hubSecret, ...given } = flags.secrets ? await readSecrets(deps.input) : ({} as NestSecrets);
  const folder = await mkdtemp(join(tmpdir(), "nest-instance-"));
  try {
    const auth = authOf(flags, { hasKey: given.appKey !== undefined, hasToken: given.githubToken !== undefined });
    const spec = await specOfFlags({ ...flags, id, replicas: 0 }, auth, deps);
    const waiting = { ...(await keptRecord(flags, id, deps)), id, status: "available", owner: "", image: spec.image };
    const claimed = recordOf({ ...spec, replicas: 1 }, "running", new Date(deps.clock.now()).toISOString());
    const { steps: _, ...record } = await carryOut(folder, { waiting, claimed, owner, given, hubSecret }, flags, deps);
    if (record.status !== "running")
      throw new NestError("nest_not_ready", record.error ?? "the nest did not become ready");
    if (flags.data !== undefined) await keepRecord(flags.data, { ...record, steps: [] }, deps);
    deps.print(`${JSON.stringify({ ...record, steps: [] }, undefined, 2)}\n`);
    return 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

interface ClaimWork {
  readonly waiting: Partial<HostedNestRecord> & { readonly id: string };
  readonly claimed: HostedNestRecord;
  readonly owner: string;
  readonly given: NestSecrets;
  readonly hubSecret: Secret | undefined;
}

async function keptRecord(flags: InstanceFlags, id: string, deps: InstanceDeps): Promise<Partial<HostedNestRecord>> {
  if (flags.data === undefined) return {};
  const record = await new RecordStore({ dataFolder: flags.data, clock: deps.clock, log: deps.log }).get(id);
  if (record.status === "available") return record;
  throw new NestError("nest_not_available", `the record of ${id} says ${record.status || "nothing"} and not available`);
}

/** Works on a record in a folder of its own, so that a claim that fails leaves the hub's as it is. */
async function carryOut(
  folder: string,
  work: ClaimWork,
  flags: InstanceFlags,
  deps: InstanceDeps,
): Promise<HostedNestRecord> {
  const { clock, random, log } = deps;
  const { claimed, given, owner } = work;
  const cluster = await clusterFor(flags, deps);
  const entry = { record: { ...clusterOfFlags(flags), pull_only: false }, kubeconfig: "", pullOnlyBecause: undefined };
  const records = new RecordStore({ dataFolder: folder, clock, log });
  const hub = { id: flags["hub-id"] ?? "manual", url: required(flags, "hub-url"), isProxy: true };
  const clusters = new Clusters({ entry: async () => entry, connect: async () => cluster, hubId: hub.id, log });
  const provisioner = new Provisioner({
    records,
    credentials: new CredentialStore({ records, key: new Secret(random.hex(32)), random }),
    clusters,
    clustersFile: { find: async () => entry, list: async () => [entry] },
    storage: noStorageExport,
    defaults: { hub, hubSecret: work.hubSecret, image: claimed.image ?? "", oauthClientId: flags["oauth-client-id"] },
    clock,
    random,
    log,
  });
  try {
    await records.create({ ...claimed, ...work.waiting, cluster_id: entry.record.id, replicas: 0 });
    const { org, repos, primary_repo, project_name, acmm_level, is_public } = claimed;
    const project = { org, repos, primary_repo, project_name, acmm_level, is_public };
    const { auth_method = "app-later", app_id, installation_id } = claimed;
    const auth = { auth_method, ...(app_id && { app_id }), ...(installation_id && { installation_id }) };
    await provisioner.claim(claimed.id, { owner, project, auth, secrets: given, by: owner });
    await provisioner.settled();
    return await records.get(claimed.id);
  } finally {
    await provisioner.close();
  }
}
