import { dashboardToken } from "@nest/auth";
import type { Clock, Log, Random } from "@nest/kit";
import type { AuditEvent } from "@nest/protocol";
import type { HubAccess } from "./access/build-access.ts";
import { LedgerOnce } from "./access/ledger-once.ts";
import type { Dispatch } from "./build-dispatch.ts";
import { buildProvisioning, type Provisioning, type ProvisioningDeps } from "./build-provisioning.ts";
import type { HubConfig } from "./config.ts";
import type { FleetRegistry } from "./fleet/registry.ts";
import { AuthCheck } from "./nests/auth-check.ts";
import { DriftWatch } from "./nests/drift-watch.ts";
import { HeardNests } from "./nests/heard-nests.ts";
import { NestPasses } from "./nests/nest-pass.ts";
import { NestPeople } from "./nests/nest-people.ts";
import { NestStream } from "./nests/nest-stream.ts";
import { RecentNests } from "./nests/recent-nests.ts";

export interface NestsDeps extends Pick<ProvisioningDeps, "connectCluster"> {
  readonly config: HubConfig;
  readonly dispatch: Dispatch;
  readonly access: HubAccess;
  readonly registry: FleetRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The parts of hosted nests. */
export interface Nests extends Provisioning {
  readonly people: NestPeople;
  readonly passes: NestPasses;
  readonly authCheck: AuthCheck;
  readonly stream: NestStream;
  readonly drift: DriftWatch;
  readonly heard: HeardNests;
  readonly clock: Clock;
  readonly audit: (actor: string, event: AuditEvent) => Promise<void>;
  /** @throws UsageError for a `clusters.json` that cannot be read. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Wires hosted nests: what works on them, who may come in, who watches. */
export async function buildNests(deps: NestsDeps): Promise<Nests> {
  const { config, dispatch, access, connectCluster, clock, random, log } = deps;
  const { users, master, hubSecret } = access;
  const { batcher, storage } = dispatch;
  const tokenOf = (nestId: string) => dashboardToken(master, nestId);
  const provisioning = await buildProvisioning({
    config,
    master,
    hubSecret,
    dashboardToken: tokenOf,
    connectCluster,
    replica: { id: storage.replica, isLive: (id) => storage.shared?.replicas.isLive(id) === true },
    clock,
    random,
    log,
  });
  const { records, provisioner, clustersFile, lead, follow } = provisioning;
  const people = new NestPeople({
    users,
    clock,
    nestOf: (id) => records.get(id),
    folderOf: (id) => records.folderOf(id),
    setOwner: async (id, owner) => void (await records.change(id, (record) => ({ ...record, owner }))),
  });
  const passes = new NestPasses({ master, clock, random });
  const isAtWork = () => storage.shared === undefined || storage.shared.replicas.isLeader;
  const drift = new DriftWatch({ records, provisioner, clock, random, log, isAtWork });
  const stream = new NestStream({ clock, onChange: (listener) => records.onChange(listener) });
  return {
    ...provisioning,
    people,
    passes,
    authCheck: authCheckOf(deps, { records, passes, tokenOf }),
    stream,
    drift,
    heard: new HeardNests({ records, provisioner, clock, log }),
    clock,
    audit: async (actor, event) => void (await batcher.ask({ kind: "audit", actor, event })),
    async start() {
      await clustersFile.list();
      drift.start();
      if (storage.shared === undefined) await lead();
    },
    async close() {
      drift.close();
      await follow();
      stream.close();
      await provisioner.close();
    },
  };
}

function authCheckOf(
  { access, dispatch, clock }: NestsDeps,
  {
    records,
    passes,
    tokenOf,
  }: Pick<Nests, "records" | "passes"> & { readonly tokenOf: ProvisioningDeps["dashboardToken"] },
): AuthCheck {
  const { ledger, batcher } = dispatch;
  const recent = new RecentNests({ records, clock });
  return new AuthCheck({
    nestOf: (id, reading) => recent.read(id, reading),
    userOf: (login, reading) => access.users.read(login, reading),
    sessions: access.sessions,
    isAdmin: (who) => access.identity.isAdmin(who),
    passes,
    once: new LedgerOnce({ ledger, batcher, clock, prefix: "ticket:", actor: "hub" }),
    dashboardToken: tokenOf,
    now: () => clock.now(),
  });
}
