import { rank } from "../figures/percentiles.ts";
import { short, table } from "../figures/table.ts";
import type { HubPlace } from "../load/bench-relay.ts";
import { seedFor } from "../modes/seed.ts";
import { type DrivenHub, withHub } from "../modes/with-hub.ts";
import { nestHubPeer } from "../peers/nest-hub.ts";
import { cpuSeconds, stolenSeconds } from "../process/child.ts";
import { EVENTS_PER_SECOND, HOLD_MS, QUEUED, tasksIn } from "./operations-page.ts";
import { PageReaders, type ReaderAnswer } from "./page-readers.ts";

export interface OpenPagesBench {
  readonly relays: number;
  readonly pages: number;
  /** How long each part of a round is measured. */
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

/** What is open in each part of a round: no page, so many pages that read a recording of this hub's pages, and so many of this hub. */
const KINDS = ["alone", "elsewhere", "watched"] as const;
type Kind = (typeof KINDS)[number];

/** A part of a round. */
interface Part {
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
 * fleet that sends 1,000 events a second all the time. People's pages are on other machines and here they are not, so in a third of each
 * round as many pages read the same from a recording: what they take from the hub's processors is then the same, and the hub does nothing
 * for them.
 */
export async function benchOpenPages({ relays, pages, seconds, print, tell }: OpenPagesBench): Promise<void> {
  const whole = WARM_UP_MS / 1000 + ROUNDS * KINDS.length * (seconds + SETTLE_MS / 1000) + 30;
  const seed = seedFor(relays, QUEUED + tasksIn(whole));
  tell(`connecting ${relays} relays`);
  await withHub(nestHubPeer, seed, async (hub) => {
    await using readers = new PageReaders();
    await hub.load.tell({ do: "shift", eventsPerSecond: EVENTS_PER_SECOND, holdMs: HOLD_MS }, 10_000);
    tell("warming up");
    await readers.open(hub.server.place, pages);
    const warmUpMs = Math.max(WARM_UP_MS, SETTLE_MS + seconds * 1000);
    await hub.load.tell({ do: "sample", measureMs: warmUpMs }, warmUpMs + 30_000);
    await readers.close();
    const rounds: Readonly<Record<Kind, Part>>[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      tell(`round ${round} of ${ROUNDS}`);
      const parts: Partial<Record<Kind, Part>> = {};
      // Another part comes first each time, so that what grows meanwhile is nobody's fault.
      for (let nth = 0; nth < KINDS.length; nth += 1) {
        const kind = KINDS[(round + nth) % KINDS.length] as Kind;
        parts[kind] = await part(
          hub,
          readers,
          kind === "alone" ? undefined : { pages, isHere: kind === "watched" },
          seconds,
        );
      }
      rounds.push(parts as Record<Kind, Part>);
    }
    print(report(rounds, { relays, pages }));
  });
}

async function part(
  { load, server }: DrivenHub,
  readers: PageReaders,
  reading: { readonly pages: number; readonly isHere: boolean } | undefined,
  seconds: number,
): Promise<Part> {
  const { pages, isHere } = reading ?? { pages: 0, isHere: true };
  if (reading !== undefined) await opened(readers, isHere ? server.place : "recording", pages);
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

async function opened(readers: PageReaders, place: HubPlace | "recording", pages: number): Promise<void> {
  const { open } = await readers.open(place, pages);
  if (open !== pages) throw new Error(`${open} of ${pages} pages could be opened`);
}

/** How much worse one part is than another, of a percentile: each round for itself, the ones in the middle. */
export function middleRatio(pairs: readonly (readonly [number[], number[]])[], share: number): number {
  const of = (values: readonly number[]) => rank(Float64Array.from(values).sort(), share);
  const ratios = pairs.map(([before, after]) => of(after) / of(before));
  return rank(Float64Array.from(ratios).sort(), 0.5);
}

const NAMES: Readonly<Record<Kind, (pages: number) => string>> = {
  alone: () => "no page",
  elsewhere: (pages) => `${pages} read a recording`,
  watched: (pages) => `${pages} pages`,
};

function report(
  rounds: readonly Readonly<Record<Kind, Part>>[],
  { relays, pages }: { readonly relays: number; readonly pages: number },
): string {
  const rows = rounds.flatMap((round, nth) =>
    KINDS.map((kind) => [`${nth + 1}: ${NAMES[kind](pages)}`, ...cells(round[kind])]),
  );
  const all = (kind: Kind) => Float64Array.from(rounds.flatMap((round) => round[kind].samples)).sort();
  for (const kind of KINDS) {
    const samples = all(kind);
    const percentiles = [0.5, 0.99, 0.999].map((share) => short(rank(samples, share)));
    rows.push([`all: ${NAMES[kind](pages)}`, String(samples.length), "", ...percentiles, ""]);
  }
  const against = (kind: Kind) => {
    const pairs = rounds.map((round) => [[...round[kind].samples], [...round.watched.samples]] as [number[], number[]]);
    const pooled = rank(all("watched"), 0.99) / rank(all(kind), 0.99);
    return { p50: middleRatio(pairs, 0.5), p99: middleRatio(pairs, 0.99), pooled };
  };
  const lineOf = (kind: Kind) => {
    const { p50, p99, pooled } = against(kind);
    return `${pages} pages against "${NAMES[kind](pages)}": p50 ${p50.toFixed(2)}, p99 ${p99.toFixed(2)} times (the round in the middle), all rounds together ${pooled.toFixed(2)}`;
  };
  return [
    `${short(relays)} relays, ${short(QUEUED)} issues, ready to task_assign while ${pages} operations pages are open`,
    table(["round", "tasks", "events/s", "p50 ms", "p99 ms", "p99.9 ms", "note"], rows),
    lineOf("alone"),
    lineOf("elsewhere"),
    `p99 ${against("elsewhere").p99 <= 1 + MOST_WORSE ? "within" : "OVER"} the limit of ${MOST_WORSE * 100} % more than with the same readers and nothing to do for them`,
  ].join("\n");
}

function cells({ samples, perSecond, cpu, stolen, odd, read }: Part): string[] {
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
