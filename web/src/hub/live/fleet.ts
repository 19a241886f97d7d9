import type { contribute } from "@nest/protocol";

/** Connected relays and tasks under lease, built from the events of the stream. */
export interface Fleet {
  readonly relays: readonly contribute.FleetRelay[];
  readonly tasks: readonly contribute.FleetWork[];
  /** The task that a connection's relay works on, by task id. */
  readonly taskOf: ReadonlyMap<string, contribute.FleetWork>;
}

/** The fleet from a complete event. Relays are sorted by login and tasks by age, so that changed rows keep their places. */
export function wholeFleet({ clankers, work }: Pick<contribute.FleetReply, "clankers" | "work">): Fleet {
  return {
    relays: clankers.toSorted(byLogin),
    tasks: work.toSorted((a, b) => (a.assigned_at < b.assigned_at ? -1 : Number(a.assigned_at > b.assigned_at))),
    taskOf: new Map(work.map((task) => [task.task_id, task])),
  };
}

/** The fleet after an event of changes. Unchanged rows stay the same objects, so that they are not rendered again. */
export function changedFleet(before: Fleet, { clankers, work, gone }: contribute.FleetChanges): Fleet {
  const relays = merged(before.relays, clankers, gone.clankers, (row) => row.connection_id);
  const tasks = merged(before.tasks, work, gone.work, (row) => row.task_id);
  return wholeFleet({ clankers: relays, work: tasks });
}

function merged<Row>(
  before: readonly Row[],
  changed: readonly Row[],
  gone: readonly string[],
  nameOf: (row: Row) => string,
): Row[] {
  const rows = new Map(before.map((row) => [nameOf(row), row]));
  for (const name of gone) rows.delete(name);
  for (const row of changed) rows.set(nameOf(row), row);
  return [...rows.values()];
}

function byLogin(a: contribute.FleetRelay, b: contribute.FleetRelay): number {
  const [first, second] = [a.github_username.toLowerCase(), b.github_username.toLowerCase()];
  if (first !== second) return first < second ? -1 : 1;
  return a.connection_id < b.connection_id ? -1 : Number(a.connection_id > b.connection_id);
}
