import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { leaseState, pauseOf } from "@nest/dispatch";
import { type Clock, type Log, type Random, sentenceOf } from "@nest/kit";
import type { ApiTokens } from "./access/api-tokens.ts";
import { AlertChannels } from "./alerts/alert-channels.ts";
import { lastBackup } from "./alerts/backup-age.ts";
import { certificateEnd } from "./alerts/certificate.ts";
import type { Facts } from "./alerts/conditions.ts";
import { restoredFrom } from "./alerts/restored.ts";
import { AlertWatch } from "./alerts/watch.ts";
import type { Dispatch } from "./build-dispatch.ts";
import type { Operations } from "./build-operations.ts";
import type { Relays } from "./build-relays.ts";
import type { HubConfig } from "./config.ts";

const HOUR_MS = 3_600_000;
/** A certificate is read this often: it rarely changes. */
const CERTIFICATE_EVERY_MS = 6 * HOUR_MS;
/** How often a replica looks for what waited at another one that is gone. */
const TAKE_OVER_EVERY_MS = 60_000;

export interface AlertsDeps {
  readonly config: HubConfig;
  readonly dispatch: Dispatch;
  readonly relays: Relays;
  readonly operations: Operations;
  readonly apiTokens: ApiTokens;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** What is wrong at this hub, and who is told. */
export interface Alerts {
  readonly watch: AlertWatch;
  readonly channels: AlertChannels;
  readonly knowsBackups: boolean;
  close(): Promise<void>;
}

export async function buildAlerts(deps: AlertsDeps): Promise<Alerts> {
  const { config, dispatch, clock, random, log } = deps;
  const { ledger, batcher, storage } = dispatch;
  const { shared } = storage;
  const { dataDir, publicUrl: address, alertVariables: environment } = config;
  const hubId = (await readFile(join(dataDir, "saas", "hub-id"), "utf8").catch(() => "hub")).trim();
  const channels = await AlertChannels.open({
    ...{ ledger, batcher, hubId, environment, address, clock, random, log },
    dataFolder: dataDir,
    oneOf: shared === undefined ? undefined : { id: storage.replica, isLive: (id) => shared.replicas.isLive(id) },
  });
  const takeOver = () =>
    channels
      .takeOver()
      .catch((thrown) => log.warn({ because: sentenceOf(thrown) }, "could not take over what waited elsewhere"));
  const stopTakingOver = shared === undefined ? () => {} : clock.every(TAKE_OVER_EVERY_MS, () => void takeOver());
  const apply = () =>
    channels
      .apply()
      .catch((thrown) => log.warn({ because: sentenceOf(thrown) }, "alert channels could not be changed"));
  batcher.listen({
    changed: ({ settings }) => {
      if (channels.concerns(settings.keys())) void apply();
    },
    reloaded: () => void apply(),
  });
  const isMine = () => shared?.replicas.isLeader ?? true;
  const tell = (message: Parameters<AlertChannels["tell"]>[0]) => channels.tell(message);
  const watch = new AlertWatch({ facts: factsOf(deps), ledger, batcher, tell, isMine, address, clock, log });
  return {
    watch,
    channels,
    knowsBackups: config.backupMetricsFile !== undefined,
    async close() {
      stopTakingOver();
      await watch.stop();
      await channels.close();
    },
  };
}

/** Looks at everything that an alert may be about. */
function factsOf({ config, dispatch, relays, operations, apiTokens, clock }: AlertsDeps): () => Promise<Facts> {
  const { storage, batcher, ledger, queue, queueSettings, monitor } = dispatch;
  let assignedAt = clock.now();
  batcher.listen({
    changed({ granted }) {
      if (granted.size > 0) assignedAt = clock.now();
    },
  });
  let seen: { readonly at: number; readonly replicas: number }[] = [];
  const certificate = certificateOf(config.publicUrl, clock);
  return async () => {
    const now = clock.now();
    const connected = relays.gateway.connected + relays.peers.relays().length;
    let working = 0;
    for (const lease of ledger.liveLeases()) if (leaseState(lease) !== "away") working += 1;
    const replicas = storage.bus.others + 1;
    seen = [...seen.filter(({ at }) => now - at < HOUR_MS), { at: now, replicas }];
    const done = operations.doneByHour.sum(2, now);
    const tokens = apiTokens
      .all()
      .flatMap(({ name, endsAt }) => (endsAt === undefined ? [] : [{ what: `The API token ${name}`, endsAt }]));
    const endsAt = await certificate();
    return {
      now,
      unreadable: monitor
        .repositories()
        .filter(({ state }) => state === "failing")
        .map(({ repo, error = "it cannot be read" }) => ({ repo, because: error })),
      isSuspended:
        queueSettings.settings.contribute_suspended || pauseOf(ledger, { kind: "everything" }, now) !== undefined,
      onOffer: queue.actionable,
      relays: connected,
      idleRelays: Math.max(0, connected - working),
      assignedAt,
      lately: { ended: done.completed + done.no_work_needed + done.blocked + done.failed, failed: done.failed },
      backupAt: await lastBackup(config.backupMetricsFile),
      restored: restoredFrom(ledger),
      replicas,
      replicasBefore: Math.max(...seen.map((one) => one.replicas)),
      ending: [...tokens, ...(endsAt === undefined ? [] : [{ what: "The certificate of the hub's address", endsAt }])],
    };
  };
}

/** When the certificate of the hub's public address ends; read every few hours. */
function certificateOf(publicUrl: string | undefined, clock: Clock): () => Promise<number | undefined> {
  let readAt = Number.NEGATIVE_INFINITY;
  let endsAt: number | undefined;
  return async () => {
    if (publicUrl === undefined || clock.now() - readAt < CERTIFICATE_EVERY_MS) return endsAt;
    readAt = clock.now();
    endsAt = (await certificateEnd(publicUrl)) ?? endsAt;
    return endsAt;
  };
}
