import type { contribute } from "@nest/protocol";
import { ROWS_A_STEP } from "../operations/rows-in-steps.ts";
import { SentRows } from "./sent-rows.ts";

type Counts = Pick<contribute.FleetReply, "cooldown_count" | "in_flight_count" | "held_count">;

/** The fleet as last sent. */
export class FleetSnapshot {
  /** A relay's last sign of life is told apart: in a fleet at work most rows have a new one each second, and nothing else that is new. */
  readonly #clankers = new SentRows<contribute.FleetRelay>({ name: "connection_id", apart: "last_activity" });
  readonly #work = new SentRows<contribute.FleetWork>({ name: "task_id" });
  #counts: Counts = { cooldown_count: 0, in_flight_count: 0, held_count: 0 };

  /** How many rows it has. */
  get size(): number {
    return this.#clankers.size + this.#work.size;
  }

  /**
   * Takes the fleet as it is now, and returns what has changed as JSON, piece by piece; undefined where nothing has. A generator, a few
   * rows a step, so that the caller can yield to the event loop.
   */
  *take(fleet: contribute.FleetReply): Generator<void, Iterable<string> | undefined> {
    const { cooldown_count, in_flight_count, held_count } = fleet;
    this.#counts = { cooldown_count, in_flight_count, held_count };
    const clankers = yield* this.#clankers.take(fleet.clankers);
    const work = yield* this.#work.take(fleet.work);
    const news = [clankers.changed, clankers.apart, clankers.gone, work.changed, work.gone];
    if (news.every(({ length }) => length === 0)) return undefined;
    const heard = clankers.apart.map(({ connection_id, last_activity }) => ({ connection_id, last_activity }));
    const lists = { clankers: clankers.changed, work: work.changed, heard };
    return piecesOf(lists, { gone: { clankers: clankers.gone, work: work.gone }, ...this.#counts });
  }

  /** The whole of it as JSON, as `GET /api/contribute/fleet` answers, piece by piece: with thousands of relays it is megabytes. */
  pieces(): Iterable<string> {
    return piecesOf({ clankers: this.#clankers.all(), work: this.#work.all() }, this.#counts);
  }
}

/** A JSON object with lists of rows, a few rows a piece, and then the rest. */
function* piecesOf(lists: Readonly<Record<string, readonly object[]>>, rest: object): Generator<string, void> {
  let start = "{";
  for (const [name, rows] of Object.entries(lists)) {
    yield `${start}"${name}":[`;
    for (let at = 0; at < rows.length; at += ROWS_A_STEP)
      yield `${at === 0 ? "" : ","}${JSON.stringify(rows.slice(at, at + ROWS_A_STEP)).slice(1, -1)}`;
    start = "],";
  }
  yield `],${JSON.stringify(rest).slice(1)}`;
}
