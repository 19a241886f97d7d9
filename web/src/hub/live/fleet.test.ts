import type { contribute } from "@nest/protocol";
import { expect, test } from "vitest";
import { changedFleet, wholeFleet } from "./fleet.ts";

function aRelay(login: string, more: Partial<contribute.FleetRelay> = {}): contribute.FleetRelay {
  return {
    contributor_id: `c-${login}`,
    github_username: login,
    connection_id: `conn-${login}`,
    trust_tier: "newcomer",
    capabilities: {},
    protocol: { verdict: "unknown" },
    connected_at: "2026-11-01T00:00:00.000Z",
    last_activity: "2026-11-01T00:00:00.000Z",
    ...more,
  };
}

const nothing = {
  clankers: [],
  work: [],
  gone: { clankers: [], work: [] },
  cooldown_count: 0,
  in_flight_count: 0,
  held_count: 0,
};

test("changes add, replace and take away rows, and leave the others as the objects they were", () => {
  const before = wholeFleet({ clankers: [aRelay("bob"), aRelay("Alice"), aRelay("carol")], work: [] });
  const after = changedFleet(before, {
    ...nothing,
    clankers: [aRelay("bob", { idle_reason: "no_matching_work" }), aRelay("dave")],
    gone: { clankers: ["conn-carol"], work: [] },
  });
  expect(after.relays.map((relay) => relay.github_username)).toEqual(["Alice", "bob", "dave"]);
  expect(after.relays[1]?.idle_reason).toBe("no_matching_work");
  expect(after.relays[0]).toBe(before.relays[0]);
});

test("a relay that was heard is else what it was, and stands where it stood; one never heard of is not made up", () => {
  const before = wholeFleet({ clankers: [aRelay("bob", { model: "m" }), aRelay("Alice")], work: [] });
  const last_activity = "2026-11-01T00:00:05.000Z";
  const heard = ["conn-bob", "conn-nobody"].map((connection_id) => ({ connection_id, last_activity }));
  const after = changedFleet(before, { ...nothing, heard });
  expect(after.relays).toEqual([aRelay("Alice"), aRelay("bob", { model: "m", last_activity })]);
  expect(after.relays[0]).toBe(before.relays[0]);
});

test("changes told twice, or of rows never heard of, do no harm", () => {
  const changes = { ...nothing, clankers: [aRelay("bob")], gone: { clankers: ["conn-nobody"], work: ["task-none"] } };
  const once = changedFleet(wholeFleet({ clankers: [], work: [] }), changes);
  expect(changedFleet(once, changes)).toEqual(once);
});

test("after any changes relays stand as if all had been sorted, also one whose login is another now", () => {
  const logins = ["eve", "Alice", "mallory", "bob", "zoe", "Carol"];
  const before = wholeFleet({ clankers: logins.map((login) => aRelay(login)), work: [] });
  const renamed = { ...aRelay("eve"), github_username: "yvonne" };
  const changed = [renamed, aRelay("aaron"), aRelay("Zed"), aRelay("bob", { model: "other" })];
  const after = changedFleet(before, { ...nothing, clankers: changed, gone: { clankers: ["conn-mallory"], work: [] } });
  expect(after.relays.map((relay) => relay.github_username)).toEqual([
    "aaron",
    "Alice",
    "bob",
    "Carol",
    "yvonne",
    "Zed",
    "zoe",
  ]);
});
