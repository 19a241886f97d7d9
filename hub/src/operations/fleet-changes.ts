import type { contribute } from "@nest/protocol";

type Counts = Pick<contribute.FleetReply, "cooldown_count" | "in_flight_count" | "held_count">;

/** The fleet as last sent: the JSON text of each row, by its id. */
export interface FleetSnapshot {
  readonly clankers: ReadonlyMap<string, string>;
  readonly work: ReadonlyMap<string, string>;
  readonly counts: Counts;
}

/** The JSON text of rows, kept as long as the row: one that is the same object as in the last snapshot is not written anew. */
export type RowTexts = WeakMap<object, string>;

/** Makes a snapshot of a fleet. A generator, one row a step, so that the caller can yield to the event loop. */
export function* snapshotOf(fleet: contribute.FleetReply, known: RowTexts): Generator<void, FleetSnapshot> {
  const { cooldown_count, in_flight_count, held_count } = fleet;
  const counts = { cooldown_count, in_flight_count, held_count };
  const clankers = new Map<string, string>();
  for (const row of fleet.clankers) {
    clankers.set(row.connection_id, textOf(row, known));
    yield;
  }
  const work = new Map<string, string>();
  for (const row of fleet.work) {
    work.set(row.task_id, textOf(row, known));
    yield;
  }
  return { clankers, work, counts };
}

function textOf(row: object, known: RowTexts): string {
  const before = known.get(row);
  if (before !== undefined) return before;
  const text = JSON.stringify(row);
  known.set(row, text);
  return text;
}

/** Rows of a snapshot in a piece of its text. */
const ROWS_A_PIECE = 100;

/**
 * The whole snapshot as JSON, as `GET /api/contribute/fleet` answers, in pieces: with thousands of relays it is megabytes. A generator,
 * one piece a step.
 */
export function* piecesOf({ clankers, work, counts }: FleetSnapshot): Generator<void, string[]> {
  const pieces: string[] = [];
  for (const [name, rows] of [
    ["clankers", [...clankers.values()]],
    ["work", [...work.values()]],
  ] as const) {
    pieces.push(`${pieces.length === 0 ? "{" : ","}"${name}":[`);
    for (let at = 0; at < rows.length; at += ROWS_A_PIECE) {
      pieces.push(`${at === 0 ? "" : ","}${rows.slice(at, at + ROWS_A_PIECE).join(",")}`);
      yield;
    }
    pieces.push("]");
  }
  return [...pieces, `,${JSON.stringify(counts).slice(1)}`];
}

/** The changes between two snapshots as JSON; undefined when there are none. A generator, one row a step. */
export function* changesSince(before: FleetSnapshot, after: FleetSnapshot): Generator<void, string | undefined> {
  const clankers = yield* differences(before.clankers, after.clankers);
  const work = yield* differences(before.work, after.work);
  const rows = [clankers.changed, clankers.gone, work.changed, work.gone];
  if (rows.every(({ length }) => length === 0)) return undefined;
  const gone = JSON.stringify({ clankers: clankers.gone, work: work.gone });
  return objectOf({ clankers: listOf(clankers.changed), work: listOf(work.changed), gone }, after.counts);
}

function* differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) {
  const changed: string[] = [];
  const gone: string[] = [];
  for (const [name, text] of after) {
    if (before.get(name) !== text) changed.push(text);
    yield;
  }
  for (const name of before.keys()) {
    if (!after.has(name)) gone.push(name);
    yield;
  }
  return { changed, gone };
}

function listOf(texts: Iterable<string>): string {
  return `[${[...texts].join(",")}]`;
}

/** Joins JSON values and counts into one JSON object. */
function objectOf(texts: Readonly<Record<string, string>>, counts: Counts): string {
  const members = Object.entries(texts).map(([name, text]) => `"${name}":${text}`);
  return `{${members.join(",")},${JSON.stringify(counts).slice(1)}`;
}
