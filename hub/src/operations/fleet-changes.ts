import type { contribute } from "@nest/protocol";

type Counts = Pick<contribute.FleetReply, "cooldown_count" | "in_flight_count" | "held_count">;

/** Rows looked at in a step: most are what they were, which is seen in no time. */
const ROWS_A_STEP = 16;

/**
 * The fleet as last sent: each row, by its id. It is changed in place: with thousands of relays copies are costly. A row that is the same
 * object as in the last snapshot is the same; texts are not kept, for a thousand new ones a second would all have to be collected again.
 */
export class FleetSnapshot {
  readonly clankers = new Map<string, object>();
  readonly work = new Map<string, object>();
  counts: Counts = { cooldown_count: 0, in_flight_count: 0, held_count: 0 };

  /** How many rows it has. */
  get size(): number {
    return this.clankers.size + this.work.size;
  }

  /**
   * Takes the fleet as it is now, and returns what has changed as JSON, in pieces; undefined where nothing has. A generator, a few rows a
   * step, so that the caller can yield to the event loop.
   */
  *take(fleet: contribute.FleetReply): Generator<void, string[] | undefined> {
    const { cooldown_count, in_flight_count, held_count } = fleet;
    this.counts = { cooldown_count, in_flight_count, held_count };
    const clankers = yield* this.#takeRows(this.clankers, fleet.clankers, (row) => row.connection_id);
    const work = yield* this.#takeRows(this.work, fleet.work, (row) => row.task_id);
    const rows = [clankers.changed, clankers.gone, work.changed, work.gone];
    if (rows.every(({ length }) => length === 0)) return undefined;
    const gone = JSON.stringify({ clankers: clankers.gone, work: work.gone });
    const lists = yield* piecesOfLists({ clankers: clankers.changed, work: work.changed });
    return [...lists, `,"gone":${gone}`, endOf(this.counts)];
  }

  *#takeRows<Row extends object>(sent: Map<string, object>, rows: readonly Row[], nameOf: (row: Row) => string) {
    const changed: string[] = [];
    const gone: string[] = [];
    let looked = 0;
    for (const row of rows) {
      const name = nameOf(row);
      const before = sent.get(name);
      if (before !== row) {
        sent.set(name, row);
        if (before === undefined || !isSame(before, row)) changed.push(JSON.stringify(row));
      }
      looked += 1;
      if (looked % ROWS_A_STEP === 0) yield;
    }
    // Most of the time nobody is gone, and nothing has to be looked for.
    if (sent.size === rows.length) return { changed, gone };
    const here = new Set(rows.map(nameOf));
    for (const name of sent.keys()) {
      if (!here.has(name)) gone.push(name);
      looked += 1;
      if (looked % ROWS_A_STEP === 0) yield;
    }
    for (const name of gone) sent.delete(name);
    return { changed, gone };
  }
}

/** Whether two rows say the same. Mostly the first thing that differs is a time or a word, and nothing has to be written as text. */
function isSame(before: object, after: object): boolean {
  for (const [name, value] of Object.entries(after)) {
    const old = (before as Readonly<Record<string, unknown>>)[name];
    if (old !== value && (typeof old !== "object" || typeof value !== "object")) return false;
  }
  return JSON.stringify(before) === JSON.stringify(after);
}

/** Rows in a piece of a text. */
const ROWS_A_PIECE = 100;

/**
 * The whole snapshot as JSON, as `GET /api/contribute/fleet` answers, in pieces: with thousands of relays it is megabytes. A generator,
 * one piece a step.
 */
export function* piecesOf({ clankers, work, counts }: FleetSnapshot): Generator<void, string[]> {
  return [...(yield* piecesOfLists({ clankers: yield* textsOf(clankers), work: yield* textsOf(work) })), endOf(counts)];
}

function* textsOf(sent: ReadonlyMap<string, object>): Generator<void, string[]> {
  const texts: string[] = [];
  for (const row of sent.values()) {
    texts.push(JSON.stringify(row));
    if (texts.length % ROWS_A_STEP === 0) yield;
  }
  return texts;
}

/** The beginning of a JSON object with lists of rows. */
function* piecesOfLists(lists: Readonly<Record<string, readonly string[]>>): Generator<void, string[]> {
  const pieces: string[] = [];
  for (const [name, rows] of Object.entries(lists)) {
    pieces.push(`${pieces.length === 0 ? "{" : ","}"${name}":[`);
    for (let at = 0; at < rows.length; at += ROWS_A_PIECE) {
      pieces.push(`${at === 0 ? "" : ","}${rows.slice(at, at + ROWS_A_PIECE).join(",")}`);
      yield;
    }
    pieces.push("]");
  }
  return pieces;
}

/** The end of such an object. */
function endOf(counts: Counts): string {
  return `,${JSON.stringify(counts).slice(1)}`;
}
