import type { CodeHost } from "@nest/codehost";
import {
  ClaimLedger,
  CommandBatcher,
  type HubDatabase,
  isNamedBefore,
  LeaseDecider,
  Ledger,
  Monitor,
  openStorage,
  PatternJudge,
  pendingPullRequests,
  pullRequestAt,
  Queue,
  type QueueFeed,
  ReplicaFeed,
  RepositoryVisibility,
  SharedMonitor,
  type Storage,
  Unblocker,
  Verifier,
} from "@nest/dispatch";
import type { Clock, Log, Random } from "@nest/kit";
import { type Durations, scaleDurations } from "@nest/protocol";
import type { HubConfig } from "./config.ts";
import { ConfigApplier } from "./queue-settings/config-applier.ts";
import { QueueSettings } from "./queue-settings/queue-settings.ts";
import { liveTimes } from "./queue-settings/rules.ts";

export interface DispatchDeps {
  readonly config: HubConfig;
  readonly database: HubDatabase;
  readonly codeHost: CodeHost;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The parts that decide which relay gets which issue, with their storage, settings, queue and verification. */
export interface Dispatch {
  readonly storage: Storage;
  readonly ledger: Ledger;
  readonly batcher: CommandBatcher;
  readonly queue: Queue;
  readonly queueSettings: QueueSettings;
  readonly patternJudge: PatternJudge;
  readonly configApplier: ConfigApplier;
  /** The durations in use. */
  readonly times: Durations;
  readonly visibility: RepositoryVisibility;
  readonly verifier: Verifier;
  readonly monitor: QueueFeed;
  /** The same monitor, where replicas share one database: only the leader reads the code host. */
  readonly sharedMonitor: SharedMonitor | undefined;
  /** Verifies the pull requests that an interrupted hub, or a dead replica, left unverified. */
  verifyPending(): Promise<void>;
}

/** Wires leases, queue and settings and loads the stored state; nothing runs yet. */
export async function buildDispatch(deps: DispatchDeps): Promise<Dispatch> {
  const { config, database, codeHost, clock, random, log } = deps;
  const { webUrl, clockScale } = config;
  const fixedTimes = scaleDurations(clockScale);
  const storage = await openStorage(database, { times: fixedTimes, clock, random, log });
  const ledger = new Ledger(await storage.load(), storage.ledger);
  const patternJudge = new PatternJudge({
    onLost: (pattern, because) =>
      log.error({ pattern, because }, "a pattern could not be matched; what it could leave out is not offered"),
  });
  const queueSettings = await QueueSettings.open({
    ledger,
    first: config.contribute,
    judge: patternJudge,
    onInvalid: (because) =>
      log.error({ err: because }, "the configuration's patterns cannot be used here; the previous ones stay in use"),
  });
  const times = liveTimes(fixedTimes, clockScale, () => queueSettings.settings);
  const queue = new Queue({ ledger, times });
  const configApplier = new ConfigApplier({ queueSettings, queue, clock });
  const decider = new LeaseDecider({
    ledger,
    candidates: queue,
    policy: () => queueSettings.rules.decider,
    times,
    newTaskId: (gen) => `task-${gen.toString(36)}-${random.hex(6)}`,
    pullRequestAt: (address, repo) => pullRequestAt(address, repo, webUrl),
  });
  const batcher = new CommandBatcher({ ledger, decider, store: storage.ledger, clock, log });
  const verifier = new Verifier({
    codeHost,
    ledger,
    webUrl,
    clock,
    random,
    log,
    submit: (command) => batcher.submit(command),
    isNamedBefore: (prUrl, gen) => isNamedBefore(storage.reader, prUrl, gen),
  });
  const visibility = new RepositoryVisibility(ledger, (command) => batcher.ask(command));
  const { monitor, sharedMonitor } = await buildMonitor(deps, {
    storage,
    ledger,
    batcher,
    queue,
    queueSettings,
    times,
    visibility,
  });
  const applyConfig = () => configApplier.changed();
  batcher.listen({
    // A pull request that counts is also a claim: read its repository soon instead of in the next round.
    committed: ({ pullRequests }) => {
      if (pullRequests.length > 0) void monitor.refresh().catch(() => undefined);
    },
    changed: ({ settings }) => queueSettings.isChangedBy(settings) && applyConfig(),
    reloaded: applyConfig,
    effect: (effect) => effect.kind === "verify" && verifier.verify(effect),
  });
  const verifyPending = async () => {
    for (const pending of await pendingPullRequests(storage.reader)) verifier.verify(pending);
  };
  const dispatch = { storage, ledger, batcher, queue, queueSettings, patternJudge, configApplier, times, visibility };
  return { ...dispatch, verifier, monitor, sharedMonitor, verifyPending };
}

/** Makes the monitor that reads the code host; of several replicas, only the leader reads it. */
async function buildMonitor(
  { config, codeHost, clock, random, log }: DispatchDeps,
  {
    storage,
    ledger,
    batcher,
    queue,
    queueSettings,
    times,
    visibility,
  }: Pick<Dispatch, "storage" | "ledger" | "batcher" | "queue" | "queueSettings" | "times" | "visibility">,
): Promise<Pick<Dispatch, "monitor" | "sharedMonitor">> {
  const { repos, webUrl, evalIntervalMs, clockScale } = config;
  const { scans, shared, bus } = storage;
  const claims = new ClaimLedger(await scans.claims());
  const unblocker = new Unblocker({ codeHost, ledger, clock, log, ask: (command) => batcher.ask(command) });
  const staleMs = () => (queueSettings.settings.contribute_claim_stale_hours * 3_600_000) / clockScale;
  const reading = { codeHost, queue, claims, scans, visibility, unblocker, repos, webUrl, evalIntervalMs, staleMs };
  const newMonitor = () => new Monitor({ ...reading, clock, random, times, log });
  if (shared === undefined) return { monitor: newMonitor(), sharedMonitor: undefined };
  const feed = new ReplicaFeed({ scans: shared.scans, queue, claims, clock, log });
  const sharedMonitor = new SharedMonitor({ bus, scans: shared.scans, feed, newMonitor });
  return { monitor: sharedMonitor, sharedMonitor };
}
