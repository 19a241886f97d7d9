import { TimeSlicer } from "@nest/kit";
import type { contribute } from "@nest/protocol";
import { expect, test } from "vitest";
import { changesSince, piecesOf, snapshotOf } from "./fleet-changes.ts";

const slicer = new TimeSlicer();

function fleetOf(relays: Record<string, string>, tasks: Record<string, string>): contribute.FleetReply {
  const clankers = Object.entries(relays).map(([connection_id, model]) => ({ connection_id, model }));
  const work = Object.entries(tasks).map(([task_id, note]) => ({ task_id, note }));
  const counts = { cooldown_count: 1, in_flight_count: work.length, held_count: 2 };
  return { clankers, work, ...counts } as unknown as contribute.FleetReply;
}

const snapshotAs = (fleet: contribute.FleetReply) => slicer.through(snapshotOf(fleet, new WeakMap()));

test("the whole snapshot is the fleet as the route answers it", async () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, nth) => [`c-${nth}`, "m"]));
  for (const fleet of [
    fleetOf({}, {}),
    fleetOf({ "c-1": 'a "model"', "c-2": "" }, { "t-1": "line\nline" }),
    fleetOf(many, {}),
  ])
    expect(JSON.parse((await slicer.through(piecesOf(await snapshotAs(fleet)))).join(""))).toEqual(fleet);
});

test("changes name what is new, what is different and what is gone, and nothing else", async () => {
  const before = await snapshotAs(fleetOf({ "c-1": "a", "c-2": "b", "c-3": "c" }, { "t-1": "x", "t-2": "y" }));
  const after = await snapshotAs(fleetOf({ "c-1": "a", "c-2": "B", "c-4": "d" }, { "t-2": "y" }));
  expect(JSON.parse((await slicer.through(changesSince(before, after))) ?? "")).toEqual({
    clankers: [
      { connection_id: "c-2", model: "B" },
      { connection_id: "c-4", model: "d" },
    ],
    work: [],
    gone: { clankers: ["c-3"], work: ["t-1"] },
    cooldown_count: 1,
    in_flight_count: 1,
    held_count: 2,
  });
});

test("of the same fleet there is nothing to tell", async () => {
  const fleet = fleetOf({ "c-1": "a" }, { "t-1": "x" });
  expect(await slicer.through(changesSince(await snapshotAs(fleet), await snapshotAs(fleet)))).toBeUndefined();
});
