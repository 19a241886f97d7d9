import { measureBusy } from "./modes/busy.ts";
import { measureCycles, measureLatency } from "./modes/cycles.ts";
import { measureGrants } from "./modes/grants.ts";
import { measureMemory } from "./modes/memory.ts";
import { measureRecovery } from "./modes/recovery.ts";
import { runBullmq } from "./peers/bullmq.ts";
import type { HubPeer } from "./peers/hub-peer.ts";
import { naivePeer } from "./peers/naive-peer.ts";
import { nestHubPeer } from "./peers/nest-hub.ts";
import { nestHubsOnPostgres } from "./peers/nest-hub-postgres.ts";
import { postgresQueues, runPostgresQueue } from "./peers/postgres-queues.ts";
import {
  cycleRow,
  grantReport,
  latencyReport,
  memoryReport,
  recoveryReport,
  type ThroughputRow,
  throughputReport,
} from "./report.ts";

export const parts = ["peers", "cycles", "latency", "busy", "grants", "memory", "recovery", "all"] as const;
export type Part = (typeof parts)[number];

export interface DispatchOptions {
  readonly part: Part;
  readonly seconds: number;
  /** Undefined: each part's own number. */
  readonly relays: number | undefined;
  readonly print: (text: string) => void;
  /** What is under way, for a person who waits. */
  readonly tell: (text: string) => void;
  /** The hubs to drive, the one under test first. */
  readonly hubs?: readonly HubPeer[];
}

const OFFERED = [500, 1000, 2000] as const;
const OFFERED_WHILE_BUSY = 1000;
/** The naive hub does not get far; it is spared a queue that nobody would drain. */
const NAIVE_PER_SECOND = 12_000;
const POSTGRES_PER_SECOND = 10_000;

/** Runs the asked parts of the dispatch benchmark, one after the other, never two at once. */
export async function benchDispatch(options: DispatchOptions): Promise<void> {
  const wants = (part: Part) => options.part === part || options.part === "all";
  if (wants("peers")) await benchPeers(options);
  else if (wants("cycles")) await benchCycles(options);
  if (wants("latency")) await benchLatency(options);
  if (wants("busy")) await benchBusy(options);
  if (wants("grants")) benchGrants(options);
  if (wants("memory")) await benchMemory(options);
  if (wants("recovery")) await benchRecovery(options);
}

/** Ours on both engines, the naive hub, and what else people would take, in one run. */
async function benchPeers(options: DispatchOptions): Promise<void> {
  const rows = await cycleRows(options, options.relays ?? 200);
  if (options.hubs === undefined) {
    options.tell(`${nestHubsOnPostgres.name}: ${options.seconds} s`);
    const figures = await measureCycles(
      nestHubsOnPostgres,
      options.relays ?? 200,
      options.seconds,
      POSTGRES_PER_SECOND,
    );
    rows.push(cycleRow(figures));
  }
  for (const [workers, concurrency] of [[200, 1]] as const) {
    const name = `BullMQ ${workers}x${concurrency}`;
    options.tell(`${name}: ${options.seconds} s`);
    const figures = await runBullmq(workers, concurrency, options.seconds);
    if ("absent" in figures) {
      options.print(`${name}: skipped: ${figures.absent}`);
      continue;
    }
    const { p50, p99 } = figures.addToStart ?? { p50: Number.NaN, p99: Number.NaN };
    rows.push({ name, perSecond: figures.perSecond, p50, p99, note: "Redis, AOF everysec; ms are add to start, idle" });
  }
  for (const queue of postgresQueues) {
    options.tell(`${queue.name}: ${options.seconds} s`);
    const { perSecond } = await runPostgresQueue(queue, options.seconds);
    const note = "PostgreSQL; workers in one process, no network to them";
    rows.push({ name: queue.name, perSecond, p50: Number.NaN, p99: Number.NaN, note });
  }
  options.print(`\nAssignments a second, full cycle, closed loop\n${throughputReport(rows, "assignments a second")}`);
}

async function benchCycles(options: DispatchOptions): Promise<void> {
  for (const relays of options.relays === undefined ? [200, 1000] : [options.relays]) {
    const rows = await cycleRows(options, relays);
    options.print(`\nAssignments a second, full cycle, closed loop\n${throughputReport(rows, "assignments a second")}`);
  }
}

async function cycleRows(options: DispatchOptions, relays: number): Promise<ThroughputRow[]> {
  const rows: ThroughputRow[] = [];
  for (const hub of options.hubs ?? [nestHubPeer, naivePeer]) {
    options.tell(`${hub.name}: ${relays} relays, ${options.seconds} s`);
    const most = hub === naivePeer ? NAIVE_PER_SECOND : undefined;
    rows.push(cycleRow(await measureCycles(hub, relays, options.seconds, most)));
  }
  return rows;
}

async function benchLatency(options: DispatchOptions): Promise<void> {
  const [hub = nestHubPeer] = options.hubs ?? [];
  const rows = [];
  for (const offered of OFFERED) {
    options.tell(`${hub.name}: ${offered} a second offered`);
    rows.push({ ...(await measureLatency(hub, options.relays ?? 10_000, offered, options.seconds)), offered });
  }
  options.print(`\nFrom ready to task_assign at a fixed offered rate\n${latencyReport(rows)}`);
}

async function benchBusy(options: DispatchOptions): Promise<void> {
  const [hub = nestHubPeer] = options.hubs ?? [];
  options.tell(`${hub.name}: ${OFFERED_WHILE_BUSY} a second while the queue is rebuilt and a page watches`);
  const row = await measureBusy(hub, options.relays ?? 10_000, OFFERED_WHILE_BUSY, options.seconds);
  const { events, bytes } = row.watched;
  options.print(
    `\nThe same while the queue is rebuilt again and again and an admin's page streams\n${latencyReport([{ ...row, offered: OFFERED_WHILE_BUSY }])}\nthe page was told ${events} events, ${Math.round(bytes / 1024)} KiB`,
  );
}

function benchGrants(options: DispatchOptions): void {
  options.tell("grants over a long queue");
  options.print(`\nOne grant over a long queue, the decision alone\n${grantReport(measureGrants())}`);
}

async function benchMemory(options: DispatchOptions): Promise<void> {
  const rows = [];
  for (const hub of options.hubs ?? [nestHubPeer, naivePeer]) {
    options.tell(`${hub.name}: idle relays`);
    rows.push(await measureMemory(hub, options.relays ?? 10_000));
  }
  options.print(`\nResident memory of idle, authenticated relays\n${memoryReport(rows)}`);
}

async function benchRecovery(options: DispatchOptions): Promise<void> {
  const rows = [];
  for (const hub of options.hubs ?? [nestHubPeer, naivePeer]) {
    options.tell(`${hub.name}: kill and recovery`);
    rows.push(await measureRecovery(hub, options.relays ?? 10_000));
  }
  options.print(`\nAfter kill -9, started again at once\n${recoveryReport(rows)}`);
}
