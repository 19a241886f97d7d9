import { seededRandom } from "@nest/kit";
import type { Step } from "./steps.ts";
import { World } from "./world.ts";
import type { WorldOptions } from "./world-options.ts";

export interface RunResult {
  readonly seed: number;
  readonly steps: number;
  readonly trace: number;
  /** What broke, and the shortest history found that breaks it; undefined when all promises held. */
  readonly failure: { readonly promise: string; readonly history: readonly Step[] } | undefined;
}

/** Steps of one world, drawn from a seed. */
export function stepsOf(seed: number, count: number): Step[] {
  const random = seededRandom(seed);
  const whole = () => Math.floor(random.fraction() * 2 ** 30);
  return Array.from({ length: count }, () => ({ op: whole(), x: whole(), y: whole() }));
}

/** Runs one seeded world to its end; a failure comes with the shortest history that still fails. */
export function runSeed(seed: number, count: number, options: WorldOptions = {}): RunResult {
  const steps = stepsOf(seed, count);
  const world = new World(options);
  const promise = faultOf(world, steps);
  const failure = promise === undefined ? undefined : { promise, history: shorten(steps, promise, options) };
  return { seed, steps: count, trace: world.trace, failure };
}

function faultOf(world: World, steps: readonly Step[]): string | undefined {
  try {
    for (const step of steps) void world.step(step);
    void world.settle();
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/** Takes ever smaller pieces out of a failing history for as long as the same promise goes on failing. */
function shorten(steps: readonly Step[], promise: string, options: WorldOptions): Step[] {
  const kind = (fault: string | undefined) => fault?.replace(/\S*\d\S*/g, "");
  const fails = (history: readonly Step[]) => kind(faultOf(new World(options), history)) === kind(promise);
  let history = [...steps];
  for (let piece = Math.ceil(history.length / 2); piece >= 1; piece = piece === 1 ? 0 : Math.ceil(piece / 2)) {
    for (let at = 0; at < history.length; ) {
      const shorter = [...history.slice(0, at), ...history.slice(at + piece)];
      if (fails(shorter)) history = shorter;
      else at += piece;
    }
  }
  return history;
}
