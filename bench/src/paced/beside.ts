import { ratioLine, short, table } from "../figures/table.ts";
import { cpuSeconds, stolenSeconds } from "../process/child.ts";
import type { PacedCalls } from "./paced-calls.ts";

/** A server that is measured, with the calls that it is asked. */
export interface Side {
  readonly name: string;
  readonly pid: number;
  readonly calls: PacedCalls;
}

export interface Beside {
  readonly ours: Side;
  /** The floor: a bare web server that answers the same requests. */
  readonly floor: Side;
  /** What is measured, for the head of the table: `1,000 nests, 833 beats a second`. */
  readonly what: string;
  /** One of what is measured, for the ratios: `a heartbeat`. */
  readonly one: string;
  readonly perSecond: number;
  readonly seconds: number;
  readonly tell: (text: string) => void;
}

/** Turn by turn: a machine that is slow for a while is slow for both. */
const TURNS = 10;
/** How long each is called at full rate before anything counts: a server's first seconds are its compiler's. */
const WARM_UP_SECONDS = 8;

/** Measures two servers at the same rate in turns, once both are warm; answers with the report. */
export async function measureBeside({ ours, floor, what, one, perSecond, seconds, tell }: Beside): Promise<string> {
  for (const { name, calls } of [ours, floor]) {
    tell(`warming up: ${name}`);
    await calls.warmUp(perSecond, WARM_UP_SECONDS);
  }
  const used = new Map<Side, number>();
  const stolen = stolenSeconds() ?? 0;
  for (let turn = 0; turn < TURNS; turn += 1) {
    tell(`turn ${turn + 1} of ${TURNS}`);
    for (const side of [ours, floor]) {
      const before = cpuSeconds(side.pid) ?? Number.NaN;
      await side.calls.callAt(perSecond, seconds / TURNS);
      used.set(side, (used.get(side) ?? 0) + (cpuSeconds(side.pid) ?? Number.NaN) - before);
    }
  }
  const sums = new Map([ours, floor].map((side) => [side, side.calls.samples.sum()]));
  const row = (side: Side) => {
    const sum = sums.get(side);
    return [
      side.name,
      short(sum?.count),
      ...[sum?.p50, sum?.p99, sum?.p999].map(short),
      `${Math.round(((used.get(side) ?? 0) / seconds) * 100)} %`,
      String(side.calls.odd),
    ];
  };
  const figure = (side: Side, percentile: "p50" | "p99") => ({
    name: side.name,
    value: sums.get(side)?.[percentile] ?? Number.NaN,
  });
  const took = (stolenSeconds() ?? 0) - stolen;
  return [
    table([what, "calls", "p50 ms", "p99 ms", "p99.9 ms", "processor", "not answered 200"], [row(ours), row(floor)]),
    ...(["p50", "p99"] as const).map((percentile) =>
      ratioLine(`${percentile} of ${one}`, figure(ours, percentile), figure(floor, percentile)),
    ),
    ...(took / (2 * seconds) >= 0.01 ? [`the host took ${short(took)} s of the processors meanwhile`] : []),
  ].join("\n");
}
