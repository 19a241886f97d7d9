import type { contribute } from "@nest/protocol";

/** Rows as they were told last, by name, each as the text that was sent. */
export interface Told {
  readonly clankers: ReadonlyMap<string, string>;
  readonly work: ReadonlyMap<string, string>;
}

/** A fleet as it is remembered to tell the next one apart. */
export function toldOf(fleet: contribute.FleetReply): Told {
  return {
    clankers: new Map(fleet.clankers.map((row) => [row.connection_id, JSON.stringify(row)])),
    work: new Map(fleet.work.map((row) => [row.task_id, JSON.stringify(row)])),
  };
}

/** What a watcher who was told `before` has to be told of `fleet`; undefined when that is nothing. */
export function changesSince(
  before: Told,
  after: Told,
  fleet: contribute.FleetReply,
): contribute.FleetChanges | undefined {
  const clankers = fleet.clankers.filter(({ connection_id: id }) => before.clankers.get(id) !== after.clankers.get(id));
  const work = fleet.work.filter(({ task_id: id }) => before.work.get(id) !== after.work.get(id));
  const gone = {
    clankers: [...before.clankers.keys()].filter((id) => !after.clankers.has(id)),
    work: [...before.work.keys()].filter((id) => !after.work.has(id)),
  };
  if (clankers.length + work.length + gone.clankers.length + gone.work.length === 0) return undefined;
  const { cooldown_count, in_flight_count, held_count } = fleet;
  return { clankers, work, gone, cooldown_count, in_flight_count, held_count };
}
