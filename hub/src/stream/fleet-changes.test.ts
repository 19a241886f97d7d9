import { TimeSlicer } from "@nest/kit";
import type { contribute } from "@nest/protocol";
import { expect, test } from "vitest";
import { FleetSnapshot } from "./fleet-changes.ts";

const slicer = new TimeSlicer();

function fleetOf(relays: Record<string, string>, tasks: Record<string, string>): contribute.FleetReply {
  const clankers = Object.entries(relays).map(([connection_id, model]) => ({ connection_id, model }));
  const work = Object.entries(tasks).map(([task_id, note]) => ({ task_id, note }));
  const counts = { cooldown_count: 1, in_flight_count: work.length, held_count: 2 };
  return { clankers, work, ...counts } as unknown as contribute.FleetReply;
}

function joined(pieces: Iterable<string> | undefined): string | undefined {
  return pieces === undefined ? undefined : [...pieces].join("");
}

/** A snapshot that has taken these, one after the other, and the changes of the last. */
async function taken(...fleets: contribute.FleetReply[]) {
  const snapshot = new FleetSnapshot();
  let changes: string | undefined;
  for (const fleet of fleets) changes = joined(await slicer.through(snapshot.take(fleet)));
  return { whole: JSON.parse(joined(snapshot.pieces()) ?? "") as unknown, changes };
}

test("the whole snapshot is the fleet as the route answers it", async () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, nth) => [`c-${nth}`, "m"]));
  for (const fleet of [
    fleetOf({}, {}),
    fleetOf({ "c-1": 'a "model"', "c-2": "" }, { "t-1": "line\nline" }),
    fleetOf(many, {}),
  ])
    expect((await taken(fleet)).whole).toEqual(fleet);
});

test("changes name what is new, what is different and what is gone, and nothing else", async () => {
  const before = fleetOf({ "c-1": "a", "c-2": "b", "c-3": "c" }, { "t-1": "x", "t-2": "y" });
  const after = fleetOf({ "c-1": "a", "c-2": "B", "c-4": "d" }, { "t-2": "y" });
  const { whole, changes = "" } = await taken(before, after);
  expect(whole).toEqual(after);
  expect(JSON.parse(changes)).toEqual({
    clankers: [
      { connection_id: "c-2", model: "B" },
      { connection_id: "c-4", model: "d" },
    ],
    work: [],
    heard: [],
    gone: { clankers: ["c-3"], work: ["t-1"] },
    cooldown_count: 1,
    in_flight_count: 1,
    held_count: 2,
  });
});

test("a row that was made anew and says the same is not told; one with other facts inside is", async () => {
  const of = (os: string) => {
    const fleet = fleetOf({ "c-1": "a" }, {});
    for (const row of fleet.clankers) Object.assign(row, { capabilities: { os } });
    return fleet;
  };
  expect((await taken(of("linux"), of("linux"))).changes).toBeUndefined();
  expect((await taken(of("linux"), of("darwin"))).changes).toContain('"capabilities":{"os":"darwin"}');
  const less = (await taken(fleetOf({ "c-1": "a" }, {}), of("linux"), fleetOf({ "c-1": "a" }, {}))).changes;
  expect(less).toContain('{"connection_id":"c-1","model":"a"}');
});

test("of a relay that was heard, and nothing else, only that is told: when it is written into its row, and when the row is another", async () => {
  const heard = (fleet: contribute.FleetReply, last_activity: string) => {
    for (const row of fleet.clankers) Object.assign(row, { last_activity });
    return fleet;
  };
  const told = { clankers: [], heard: [{ connection_id: "c-1", last_activity: "later" }] };
  const snapshot = new FleetSnapshot();
  const changes = async (fleet: contribute.FleetReply) =>
    JSON.parse(joined(await slicer.through(snapshot.take(fleet))) ?? "null") as unknown;
  const same = heard(fleetOf({ "c-1": "a" }, {}), "early");
  await changes(same);
  expect(await changes(heard(same, "later"))).toMatchObject(told);
  expect(await changes(same)).toBeNull();
  expect(await changes(heard(fleetOf({ "c-1": "a" }, {}), "latest"))).toMatchObject({
    clankers: [],
    heard: [{ connection_id: "c-1", last_activity: "latest" }],
  });
  const other = heard(fleetOf({ "c-1": "b" }, {}), "last");
  expect(await changes(other)).toMatchObject({ clankers: other.clankers, heard: [] });
});

test("of the same fleet there is nothing to tell", async () => {
  const fleet = fleetOf({ "c-1": "a" }, { "t-1": "x" });
  expect((await taken(fleet, fleet)).changes).toBeUndefined();
});
