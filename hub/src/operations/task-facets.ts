import { tasks, unfinishedVerdict } from "@nest/protocol";
import { mostFrequent } from "./most-frequent.ts";

type Task = tasks.ListedTask;

/** What a task has of each facet; undefined: nothing to be found by. */
const valuesOf: Readonly<Record<keyof Omit<tasks.TaskFacets, "counted">, (task: Task) => string | undefined>> = {
  repo: ({ repo }) => repo,
  contributor: ({ github_username }) => github_username,
  outcome: ({ outcome, verdict }) =>
    outcome === undefined
      ? "under_way"
      : ((outcome === "completed" ? unfinishedVerdict(verdict) : undefined) ?? outcome),
  failure_kind: ({ failure_kind }) => failure_kind,
  backend: ({ backend }) => backend || tasks.UNKNOWN,
  tier: ({ tier }) => tier ?? tasks.UNKNOWN,
  model: ({ model }) => model || tasks.UNKNOWN,
  version: ({ relay_version }) => relay_version || tasks.UNKNOWN,
};

/** How many tasks have which value, as the filters find them. A generator, one task a step. */
export function* taskFacetsOf(counted: readonly Task[]): Generator<void, tasks.TaskFacets> {
  const facets: Record<string, readonly unknown[]> = {};
  for (const [facet, valueIn] of Object.entries(valuesOf)) {
    const counts = new Map<string, number>();
    for (const task of counted) {
      const value = valueIn(task);
      if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
      yield;
    }
    facets[facet] = yield* mostFrequent(counts);
  }
  return { counted: counted.length, ...facets } as tasks.TaskFacets;
}
