import type { Ledger } from "@nest/dispatch";
import { expect, test } from "vitest";
import type { Session } from "../relays/session.ts";
import { RelayRows } from "./relay-rows.ts";

const failure = { taskId: "t", repo: "acme/secret", number: 1, kind: "task", reason: "x", permanent: false, at: 0 };

function aHub() {
  const session = {
    relayIdentity: { connection: "conn-1", contributorId: "c-1", identity: "c-1#laptop" },
    connection: "conn-1",
    login: "alice",
    tier: "newcomer",
    declared: { facts: { os: "linux" }, verdict: "current", session: "laptop" },
    connectedAt: 0,
    lastActivityAt: 0,
  };
  const roles = { inForce: undefined as string | undefined, assigned: undefined as string | undefined };
  const settings = new Map<string, unknown>();
  const deps = {
    ledger: { setting: (name: string) => settings.get(name) } as unknown as Ledger,
    roles: () => roles,
    now: () => 1000,
  };
  const held = new Map<string, string>();
  const rowOf = (rows: RelayRows, isSeen: (repo: string) => boolean = () => true) =>
    rows.ofSession(session as unknown as Session, held.get("conn-1"), isSeen);
  return { session: session as Record<string, unknown>, roles, settings, held, deps, rowOf };
}

test.each<[what: string, change: (hub: ReturnType<typeof aHub>) => void]>([
  ["its tier", ({ session }) => Object.assign(session, { tier: "trusted" })],
  ["its login", ({ session }) => Object.assign(session, { login: "bob" })],
  ["what it declared", ({ session }) => Object.assign(session, { declared: { facts: {}, verdict: "older" } })],
  ["why it idles", ({ session }) => Object.assign(session, { idleReason: "no_matching_work" })],
  ["its last failure", ({ session }) => Object.assign(session, { lastFailure: failure })],
  ["its credential's failure", ({ session }) => Object.assign(session, { credentialFailure: failure })],
  ["its task", ({ held }) => held.set("conn-1", "task-1")],
])("a relay's row is another as soon as %s is another, and else the same object", (_, change) => {
  const hub = aHub();
  const rows = new RelayRows(hub.deps);
  const before = hub.rowOf(rows);
  expect(hub.rowOf(rows)).toBe(before);
  change(hub);
  expect(hub.rowOf(rows)).not.toEqual(before);
  expect(hub.rowOf(rows)).toEqual(hub.rowOf(new RelayRows(hub.deps)));
});

test.each<[what: string, change: (hub: ReturnType<typeof aHub>) => void]>([
  ["the role in force", ({ roles }) => Object.assign(roles, { inForce: "reviewer" })],
  ["the role that was set", ({ roles }) => Object.assign(roles, { assigned: "reviewer" })],
  ["a pause of everybody", ({ settings }) => settings.set("pause:everything", { until: null, note: "" })],
])("with other settings a relay's row tells %s", (_, change) => {
  const hub = aHub();
  const rows = new RelayRows(hub.deps);
  rows.madeUnder("these settings");
  const before = hub.rowOf(rows);
  change(hub);
  rows.madeUnder("other settings");
  const after = hub.rowOf(rows);
  expect(after).not.toEqual(before);
  rows.forget();
  expect(hub.rowOf(rows)).toEqual(after);
  expect(hub.rowOf(new RelayRows(hub.deps))).toEqual(after);
});

test("a sign of life is written into the row, which stays the same object", () => {
  const hub = aHub();
  const rows = new RelayRows(hub.deps);
  const before = hub.rowOf(rows);
  Object.assign(hub.session, { lastActivityAt: 5 });
  expect(hub.rowOf(rows)).toBe(before);
  expect(before).toEqual(hub.rowOf(new RelayRows(hub.deps)));
  expect(before).toHaveProperty("last_activity", "1970-01-01T00:00:00.005Z");
});

test("a pause that is over by its end is not told any more", () => {
  const hub = aHub();
  hub.settings.set("pause:everything", { until: 2000, note: "" });
  let now = 1999;
  const rows = new RelayRows({ ...hub.deps, now: () => now });
  expect(hub.rowOf(rows)).toMatchObject({ pause: { scope: "everything" } });
  now = 2000;
  expect(hub.rowOf(rows)).not.toHaveProperty("pause");
});

test("a row that an admin saw is not shown to who must not see the repository of its failure", () => {
  const hub = aHub();
  hub.session.lastFailure = failure;
  const rows = new RelayRows(hub.deps);
  expect(hub.rowOf(rows)).toMatchObject({ last_failure: { repo: "acme/secret" } });
  expect(hub.rowOf(rows, () => false)).not.toHaveProperty("last_failure");
});

test("a relay that was told of a pause idles for that reason no longer than the pause holds", () => {
  const hub = aHub();
  hub.session.idleReason = "paused";
  hub.settings.set("pause:everything", { until: null, note: "" });
  const rows = new RelayRows(hub.deps);
  expect(hub.rowOf(rows)).toMatchObject({ idle_reason: "paused", pause: { scope: "everything" } });
  hub.settings.delete("pause:everything");
  rows.forget();
  expect(hub.rowOf(rows)).not.toHaveProperty("idle_reason");
  const told = { contributor_id: "c-1", connection_id: "conn-1", idle_reason: "paused" };
  const remote = { row: told } as unknown as Parameters<RelayRows["ofRemote"]>[0];
  expect(rows.ofRemote(remote, undefined, () => true)).not.toHaveProperty("idle_reason");
});
