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
  return fleetOf(clankers.toSorted(byLogin), work.toSorted(byAge));
}

/**
 * The fleet after an event of changes. Unchanged rows stay the same objects, so that they are not rendered again, and in their places:
 * thousands of relays are not sorted again each second.
 */
export function changedFleet(before: Fleet, { clankers, work, gone, heard = [] }: contribute.FleetChanges): Fleet {
  const relays = { changed: clankers, gone: gone.clankers, nameOf: connectionOf, compare: byLogin };
  const tasks = { changed: work, gone: gone.work, nameOf: taskIdOf, compare: byAge };
  return fleetOf(merged(heardRelays(before.relays, heard), relays), merged(before.tasks, tasks));
}

/** Relays, of which some were heard and are else what they were. */
function heardRelays(before: Fleet["relays"], heard: NonNullable<contribute.FleetChanges["heard"]>): Fleet["relays"] {
  if (heard.length === 0) return before;
  const lastHeard = new Map(heard.map(({ connection_id, last_activity }) => [connection_id, last_activity]));
  return before.map((relay) => {
    const last_activity = lastHeard.get(relay.connection_id);
    return last_activity === undefined ? relay : { ...relay, last_activity };
  });
}

function fleetOf(relays: Fleet["relays"], tasks: Fleet["tasks"]): Fleet {
  return { relays, tasks, taskOf: new Map(tasks.map((task) => [task.task_id, task])) };
}

interface RowChanges<Row> {
  readonly changed: readonly Row[];
  readonly gone: readonly string[];
  readonly nameOf: (row: Row) => string;
  readonly compare: (a: Row, b: Row) => number;
}

/** Sorted rows after changes, sorted. */
function merged<Row>(before: readonly Row[], { changed, gone, nameOf, compare }: RowChanges<Row>): readonly Row[] {
  if (changed.length === 0 && gone.length === 0) return before;
  const left = new Set(gone);
  const news = new Map(changed.map((row) => [nameOf(row), row]));
  const kept: Row[] = [];
  for (const row of before) {
    const name = nameOf(row);
    const next = news.get(name);
    if (next === undefined) {
      if (!left.has(name)) kept.push(row);
      // A row that now belongs elsewhere is placed with those that are new.
    } else if (compare(row, next) === 0) {
      kept.push(next);
      news.delete(name);
    }
  }
  return news.size === 0 ? kept : together(kept, [...news.values()].sort(compare), compare);
}

/** Two sorted lists as one. */
function together<Row>(some: readonly Row[], others: readonly Row[], compare: (a: Row, b: Row) => number): Row[] {
  const all: Row[] = [];
  let at = 0;
  for (const row of some) {
    for (let other = others[at]; other !== undefined && compare(other, row) < 0; other = others[at]) {
      all.push(other);
      at += 1;
    }
    all.push(row);
  }
  return [...all, ...others.slice(at)];
}

function connectionOf({ connection_id: id }: contribute.FleetRelay): string {
  return id;
}

function taskIdOf({ task_id: id }: contribute.FleetWork): string {
  return id;
}

function byAge(a: contribute.FleetWork, b: contribute.FleetWork): number {
  return a.assigned_at < b.assigned_at ? -1 : Number(a.assigned_at > b.assigned_at);
}

function byLogin(a: contribute.FleetRelay, b: contribute.FleetRelay): number {
  const [first, second] = [a.github_username.toLowerCase(), b.github_username.toLowerCase()];
  if (first !== second) return first < second ? -1 : 1;
  return a.connection_id < b.connection_id ? -1 : Number(a.connection_id > b.connection_id);
}
