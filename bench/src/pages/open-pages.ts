import { rank } from "../figures/percentiles.ts";
import { short, table } from "../figures/table.ts";
import { seedFor } from "../modes/seed.ts";
import { type DrivenHub, withHub } from "../modes/with-hub.ts";
import { nestHubPeer } from "../peers/nest-hub.ts";
import { cpuSeconds, stolenSeconds } from "../process/child.ts";
import { EVENTS_PER_SECOND, HOLD_MS, QUEUED, tasksIn } from "./operations-page.ts";
import { PageReaders, type ReaderAnswer } from "./page-readers.ts";

export interface OpenPagesBench {
  readonly relays: number;
  readonly pages: number;
  /** How long each half of a round is measured. */
  readonly seconds: number;
  readonly print: (text: string) => void;
  readonly tell: (text: string) => void;
}

const ROUNDS = 6;
/** After pages were opened or closed, before anything counts. */
const SETTLE_MS = 3000;
/** Until what the hub runs is compiled. */
const WARM_UP_MS = 20_000;
const MOST_WORSE = 0.2;

/** Half a round: with pages or without. */
interface Half {
  readonly samples: readonly number[];
  readonly perSecond: number;
  /** Share of one processor that the hub used. */
  readonly cpu: number;
  readonly stolen: number;
  readonly odd: Readonly<Record<string, number>>;
  readonly read: ReaderAnswer | undefined;
}

/**
 * How long a relay waits for its task while nobody looks and while so many operations pages are open, in turns on the same hub: a
 * fleet that sends 1,000 events a second all the time.
 */
export async function benchOpenPages({ relays, pages, seconds, print, tell }: OpenPagesBench): Promise<void> {
  const whole = WARM_UP_MS / 1000 + ROUNDS * 2 * (seconds + SETTLE_MS / 1000) + 30;
  const seed = seedFor(relays, QUEUED + tasksIn(whole));
  tell(`connecting ${relays} relays`);
  await withHub(nestHubPeer, seed, async (hub) => {
    await using readers = new PageReaders();
    await hub.load.tell({ do: "shift", eventsPerSecond: EVENTS_PER_SECOND, holdMs: HOLD_MS }, 10_000);
    tell("warming up");
    await hub.load.tell({ do: "sample", measureMs: WARM_UP_MS }, WARM_UP_MS + 30_000);
    const rounds: { readonly alone: Half; readonly watched: Half }[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      tell(`round ${round} of ${ROUNDS}`);
      // The half that comes first changes, so that what grows meanwhile is nobody's fault.
      const halves = { alone: undefined as Half | undefined, watched: undefined as Half | undefined };
      for (const name of round % 2 === 1 ? (["alone", "watched"] as const) : (["watched", "alone"] as const))
        halves[name] = await half(hub, readers, name === "watched" ? pages : 0, seconds);
      if (halves.alone !== undefined && halves.watched !== undefined)
        rounds.push({ alone: halves.alone, watched: halves.watched });
    }
    print(report(rounds, { relays, pages }));
  });
}

async function half({ load, server }: DrivenHub, readers: PageReaders, pages: number, seconds: number): Promise<Half> {
  const opened = await readers.open(server.place, pages);
  if (opened.open !== pages) throw new Error(`${opened.open} of ${pages} pages could be opened`);
  await wait(SETTLE_MS);
  const measureMs = seconds * 1000;
  const [cpu, stolen] = [cpuSeconds(server.pid), stolenSeconds()];
  const answer = await load.tell({ do: "sample", measureMs }, measureMs + 30_000);
  const share = (before: number | undefined, after: number | undefined) =>
    ((after ?? Number.NaN) - (before ?? Number.NaN)) / seconds;
  const shares = { cpu: share(cpu, cpuSeconds(server.pid)), stolen: share(stolen, stolenSeconds()) };
  const read = await readers.close();
  if (read.open !== pages) throw new Error(`${pages - read.open} of ${pages} pages lost their stream`);
  return {
    samples: answer.samples ?? [],
    perSecond: answer.perSecond ?? Number.NaN,
    odd: answer.odd,
    read: pages === 0 ? undefined : read,
    ...shares,
  };
}

/** How much worse the watched half is, of a percentile: each round for itself, the one in the middle. */
export function middleRatio(
  rounds: readonly { readonly alone: readonly number[]; readonly watched: readonly number[] }[],
  share: number,
): number {
  const of = (values: readonly number[]) => rank(Float64Array.from(values).sort(), share);
  const ratios = rounds.map(({ alone, watched }) => of(watched) / of(alone));
  return rank(Float64Array.from(ratios).sort(), 0.5);
}

function report(
  rounds: readonly { readonly alone: Half; readonly watched: Half }[],
  { relays, pages }: { readonly relays: number; readonly pages: number },
): string {
  const rows = rounds.flatMap(({ alone, watched }, nth) => [
    [`${nth + 1}: no page`, ...cells(alone)],
    [`${nth + 1}: ${pages} pages`, ...cells(watched)],
  ]);
  const pairs = rounds.map(({ alone, watched }) => ({ alone: alone.samples, watched: watched.samples }));
  const all = (of: "alone" | "watched") => Float64Array.from(pairs.flatMap((pair) => pair[of])).sort();
  const [alone, watched] = [all("alone"), all("watched")];
  for (const [name, samples] of [
    ["all: no page", alone],
    [`all: ${pages} pages`, watched],
  ] as const)
    rows.push([
      name,
      String(samples.length),
      "",
      ...[0.5, 0.99, 0.999].map((share) => short(rank(samples, share))),
      "",
    ]);
  const pooled = rank(watched, 0.99) / rank(alone, 0.99);
  const p99 = middleRatio(pairs, 0.99);
  return [
    `${short(relays)} relays, ${short(QUEUED)} issues, ready to task_assign while ${pages} operations pages are open and while none is`,
    table(["round", "tasks", "events/s", "p50 ms", "p99 ms", "p99.9 ms", "note"], rows),
    `ratio: p50: ${middleRatio(pairs, 0.5).toFixed(2)}, p99: ${p99.toFixed(2)} (the round in the middle), all rounds together ${pooled.toFixed(2)}`,
    `p99 ${p99 <= 1 + MOST_WORSE ? "within" : "OVER"} the limit of ${MOST_WORSE * 100} % more`,
  ].join("\n");
}

function cells({ samples, perSecond, cpu, stolen, odd, read }: Half): string[] {
  const sorted = Float64Array.from(samples).sort();
  const note = [
    `hub cpu ${Math.round(cpu * 100)} %`,
    stolen >= 0.02 ? `host took ${Math.round(stolen * 50)} %` : "",
    read === undefined ? "" : `${short(read.streamBytes / 1e6)} MB, ${read.events} events, ${read.calls} calls`,
    read === undefined || read.failed === 0 ? "" : `${read.failed} failed`,
    ...Object.entries(odd).map(([what, count]) => `${count} × ${what}`),
  ];
  return [
    String(samples.length),
    short(perSecond),
    ...[0.5, 0.99, 0.999].map((share) => short(rank(sorted, share))),
    note.filter(Boolean).join(", "),
  ];
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
