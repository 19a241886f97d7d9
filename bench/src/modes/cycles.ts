import { cpus } from "node:os";
import type { Latencies } from "../load/commands.ts";
import type { HubPeer } from "../peers/hub-peer.ts";
import { cpuSeconds, stolenSeconds } from "../process/child.ts";
import { seedFor } from "./seed.ts";
import { type DrivenHub, withHub } from "./with-hub.ts";

export interface CycleFigures {
  readonly name: string;
  readonly relays: number;
  readonly perSecond: number;
  readonly readyToAssign: Latencies;
  /** Share of one processor that the hub used. */
  readonly cpu: number;
  /** Share of the machine's processors that its host gave to others meanwhile. */
  readonly stolen: number;
  readonly odd: Readonly<Record<string, number>>;
}

const WARMUP_MS = 2000;
/** At a fixed rate it takes some ten thousand tasks until what runs is compiled, as it is in a hub that has run for a minute. */
const SLOW_WARMUP_MS = 12_000;
/** More than any hub here hands out in a second. */
const ENOUGH_PER_SECOND = 40_000;

/** Closed loop: every relay works without a pause. */
export function measureCycles(peer: HubPeer, relays: number, seconds: number, mostPerSecond = ENOUGH_PER_SECOND) {
  const seed = seedFor(relays, Math.ceil(mostPerSecond * (seconds + WARMUP_MS / 1000)));
  return withHub(peer, seed, async ({ load, server }): Promise<CycleFigures> => {
    const measureMs = seconds * 1000;
    const shares = sharesFrom(server.pid);
    const answer = await load.tell({ do: "closed", warmupMs: WARMUP_MS, measureMs }, measureMs + 60_000);
    return figuresOf(peer, relays, answer, shares());
  });
}

/** Open loop: a fixed rate is offered, whatever the hub makes of it. */
export function measureLatency(peer: HubPeer, relays: number, perSecond: number, seconds: number) {
  const seed = seedFor(relays, issuesAt(perSecond, seconds));
  return withHub(peer, seed, (driven) => latencyOf(peer, driven, relays, perSecond, seconds));
}

/** The open loop on a hub that runs, all its relays connected. */
export async function latencyOf(
  peer: HubPeer,
  { load, server }: DrivenHub,
  relays: number,
  perSecond: number,
  seconds: number,
): Promise<CycleFigures> {
  const measureMs = seconds * 1000;
  const shares = sharesFrom(server.pid);
  const answer = await load.tell({ do: "open", perSecond, warmupMs: SLOW_WARMUP_MS, measureMs }, measureMs + 60_000);
  return figuresOf(peer, relays, answer, shares());
}

/** Issues for a run at a fixed rate, with some to spare. */
export function issuesAt(perSecond: number, seconds: number): number {
  return Math.ceil(perSecond * (seconds + (1.5 * SLOW_WARMUP_MS) / 1000));
}

function figuresOf(
  peer: HubPeer,
  relays: number,
  answer: { perSecond?: number; readyToAssign?: Latencies; odd: Readonly<Record<string, number>> },
  shares: Shares,
): CycleFigures {
  const none = { count: 0, p50: Number.NaN, p99: Number.NaN, p999: Number.NaN };
  const readyToAssign = answer.readyToAssign ?? none;
  return {
    name: peer.name,
    relays,
    perSecond: answer.perSecond ?? Number.NaN,
    readyToAssign,
    ...shares,
    odd: answer.odd,
  };
}

type Shares = Pick<CycleFigures, "cpu" | "stolen">;

/** From now until it is asked: what the hub used of one processor, and what the host took of all of them. */
function sharesFrom(pid: number): () => Shares {
  const [began, cpu, stolen] = [performance.now(), cpuSeconds(pid), stolenSeconds()];
  return () => {
    const took = (performance.now() - began) / 1000;
    const share = (before: number | undefined, after: number | undefined) =>
      ((after ?? Number.NaN) - (before ?? Number.NaN)) / took;
    return { cpu: share(cpu, cpuSeconds(pid)), stolen: share(stolen, stolenSeconds()) / cpus().length };
  };
}
