import { join } from "node:path";
import type { CodeHost } from "@nest/codehost";
import { PAUSE_PREFIX, rolesOf } from "@nest/dispatch";
import type { Clock, Log } from "@nest/kit";
import { TOKEN_SETTING } from "./access/api-tokens.ts";
import { USER_SETTING } from "./access/shared-users.ts";
import type { Dispatch } from "./build-dispatch.ts";
import type { Relays } from "./build-relays.ts";
import type { HubConfig } from "./config.ts";
import { ContributorReadModel } from "./contributors/contributor-read-model.ts";
import type { LeaderboardDeps } from "./contributors/leaderboard.ts";
import { FleetRegistry } from "./fleet/registry.ts";
import { ActivityPruner } from "./operations/activity-pruner.ts";
import { DoneByHour } from "./operations/done-by-hour.ts";
import { IssueReadModel } from "./operations/issue-read-model.ts";
import { Metrics } from "./operations/metrics.ts";
import { PullRequestStates } from "./operations/pull-request-states.ts";
import { ReadModel } from "./operations/read-model.ts";
import { TaskOutputs } from "./operations/task-outputs.ts";
import { TaskReadModel } from "./operations/task-read-model.ts";
import { WaitHistogram } from "./operations/wait-histogram.ts";
import { EventStream } from "./stream/event-stream.ts";

export interface OperationsDeps {
  readonly config: HubConfig;
  readonly dispatch: Dispatch;
  readonly relays: Relays;
  readonly codeHost: CodeHost;
  readonly clock: Clock;
  readonly log: Log;
}

/** The parts with which people watch the hub. */
export interface Operations {
  readonly readModel: ReadModel;
  readonly taskReadModel: TaskReadModel;
  readonly issueReadModel: IssueReadModel;
  readonly stream: EventStream;
  readonly metrics: Metrics;
  readonly doneByHour: DoneByHour;
  readonly waits: WaitHistogram;
  readonly registry: FleetRegistry;
  readonly contributorReadModel: ContributorReadModel;
  readonly board: LeaderboardDeps;
  readonly pruner: ActivityPruner;
  readonly outputs: TaskOutputs;
}

/** Wires what people watch to its events; each part listens to what it counts. */
export async function buildOperations({
  config,
  dispatch,
  relays,
  codeHost,
  clock,
  log,
}: OperationsDeps): Promise<Operations> {
  const { storage, ledger, queue, queueSettings, monitor, verifier, times } = dispatch;
  const { reader, bus, shared } = storage;
  const { gateway, peers, roleOf } = relays;
  const { webUrl, dataDir } = config;
  const doneByHour = new DoneByHour();
  await doneByHour.load(reader, clock.now());
  const waits = new WaitHistogram();
  const registry = new FleetRegistry({ dataDir, clock, times, log, bus });
  await registry.load();
  const active = () => {
    const ids = new Set(peers.relays().map(({ row }) => row.contributor_id));
    for (const { relayIdentity } of gateway.sessions())
      if (relayIdentity !== undefined) ids.add(relayIdentity.contributorId);
    return ids;
  };
  const readModel = new ReadModel({
    ledger,
    queue,
    gateway,
    monitor,
    reader,
    peers,
    clock,
    doneByHour,
    webUrl,
    settings: () => queueSettings.settings,
    roles: ({ relayIdentity, declared }) => ({
      inForce: roleOf(relayIdentity?.contributorId ?? "", declared.role),
      assigned: rolesOf(ledger, relayIdentity?.contributorId ?? "").assigned,
    }),
  });
  peers.tell(() => readModel.ownRelays());
  const noteOf = (connection: string) =>
    gateway.session(connection)?.note ?? peers.relays().find(({ row }) => row.connection_id === connection)?.note;
  const outputs = new TaskOutputs({ folder: join(dataDir, "contribute", "output"), clock, log });
  relays.events.listen({ printed: (task, lines) => outputs.take(task, lines) });
  const pullRequests = new PullRequestStates({ codeHost, webUrl, clock });
  const taskReadModel = new TaskReadModel({ ledger, reader, readModel, noteOf, outputs, pullRequests });
  const issueReadModel = new IssueReadModel({
    ledger,
    queue,
    monitor,
    reader,
    readModel,
    policy: () => queueSettings.rules.decider,
    settings: () => queueSettings.settings,
    times,
    now: () => clock.now(),
  });
  const stream = new EventStream(readModel, clock);
  await stream.load();
  const metrics = new Metrics({
    connected: () => gateway.connected,
    leases: () => ledger.leaseCount,
    actionable: () => queue.actionable,
    withheld: () => queue.withheldCounts(),
    watchers: () => stream.watchers,
    malformed: () => gateway.counts.malformed,
    turnedAway: () => gateway.turnedAway,
    refused: () => gateway.counts.refused,
    pendingVerifications: () => verifier.pending,
    repositories() {
      const all = monitor.repositories();
      return { monitored: all.length, unreadable: all.filter(({ state }) => state === "failing").length };
    },
    replicas: () => bus.others + 1,
  });
  const assignedSince = (from: number) => doneByHour.since(from);
  const contributorReadModel = new ContributorReadModel({
    ledger,
    reader,
    active,
    assignedSince,
    now: () => clock.now(),
  });

  listenFor({ readModel, stream, metrics, doneByHour, waits }, dispatch, relays, { clock, log });
  const isMine = () => shared?.replicas.isLeader ?? true;
  const pruner = new ActivityPruner({ database: reader, isMine, clock, log });
  const board = { ledger, doneByHour, webUrl, active };
  return {
    readModel,
    taskReadModel,
    issueReadModel,
    stream,
    metrics,
    doneByHour,
    waits,
    registry,
    contributorReadModel,
    board,
    pruner,
    outputs,
  };
}

/** Subscribes each reader to durable changes and to relay events. */
function listenFor(
  parts: Pick<Operations, "readModel" | "stream" | "metrics" | "doneByHour" | "waits">,
  { batcher, storage: { reader } }: Dispatch,
  { events, peers }: Relays,
  { clock, log }: Pick<OperationsDeps, "clock" | "log">,
): void {
  const { readModel, stream, metrics, doneByHour, waits } = parts;
  batcher.listen({
    committed: (changes) => metrics.count(changes),
    changed(changes) {
      doneByHour.count(changes);
      stream.tell(changes.activity);
      const names = [...changes.settings.keys()];
      if (names.some((name) => name.startsWith(PAUSE_PREFIX))) readModel.pausesChanged();
      if (names.length > 0) {
        readModel.settingsChanged();
        stream.change();
      }
      const isOfIdentity = (name: string) => name.startsWith(USER_SETTING) || name.startsWith(TOKEN_SETTING);
      if (names.some(isOfIdentity)) void stream.review();
    },
    reloaded() {
      readModel.pausesChanged();
      readModel.settingsChanged();
      doneByHour.load(reader, clock.now()).catch((thrown) => log.warn({ err: thrown }, "could not reload the charts"));
      stream.change();
    },
  });
  events.listen({
    changed() {
      stream.change();
      peers.changed();
    },
    assigned: (waitedMs) => waits.count(waitedMs, clock.now()),
  });
  peers.onChanged(() => stream.change());
}
