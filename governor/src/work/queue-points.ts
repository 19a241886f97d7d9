const MOST_POINTS = 5000;
const SHOWN_POINTS = 500;

/** How long the queue was at one evaluation. Times are milliseconds since 1970. */
export interface QueuePoint {
  readonly at: number;
  readonly actionable: number;
  readonly heldBack: number;
}

/** The queue over time, oldest first; what is oldest goes when there is too much. */
export class QueuePoints {
  #points: readonly QueuePoint[];

  constructor(points: readonly QueuePoint[]) {
    this.#points = points;
  }

  get all(): readonly QueuePoint[] {
    return this.#points;
  }

  add(point: QueuePoint): void {
    this.#points = [...this.#points.slice(1 - MOST_POINTS), point];
  }

  /** The points since a moment, thinned to about 500; the last one is always there. */
  since(moment: number): { at: string; actionable: number; held_back: number }[] {
    const points = this.#points.filter(({ at }) => at >= moment);
    const every = Math.max(1, Math.ceil(points.length / SHOWN_POINTS));
    return points
      .filter((_, at) => at % every === 0 || at === points.length - 1)
      .map(({ at, actionable, heldBack }) => ({ at: new Date(at).toISOString(), actionable, held_back: heldBack }));
  }
}
