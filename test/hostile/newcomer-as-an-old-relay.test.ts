import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";
import { UNLIMITED } from "../harness/hub-process.ts";
import { of, RawRelay } from "../harness/raw-relay.ts";

/**
 * Somebody with a token whose relay poses as one of the first: no version, no additions, no generations. What such a relay is
 * spared or given must open nothing to it that a new one could not have.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NO_LEASE = "no active lease for this task";
/** Declares nothing, as the first relays did. */
const OLD = { capabilities: undefined };

/** What the first relays send of a task. */
function unversioned({ task_id }: { readonly task_id: string }) {
  return { task_id };
}

test("it is pushed no more work than its tier may hold at once, nor more than its hour allows", async () => {
  await using hub = await TestHub.start({ issues: 9 });
  const relay = await hub.relay("mallory", OLD);
  const held = await relay.ready();
  relay.send({ type: "task_accepted", ...unversioned(held) });
  await hub.clock.advance(5 * MINUTE);
  expect(await relay.pending("task_assign")).toEqual([]);
  relay.send({ type: "task_complete", ...unversioned(held), result: "completed" });
  for (let nth = 2; nth <= 3; nth += 1) {
    const task = await relay.ready();
    relay.send({ type: "task_accepted", ...unversioned(task) });
    relay.send({ type: "task_complete", ...unversioned(task), result: "completed" });
  }
  expect((await relay.refused()).reason).toBe("hourly_limit");
  await hub.clock.advance(30 * MINUTE);
  expect(await relay.pending("task_assign")).toEqual([]);
  // It never asks again by itself: the hub does it on its behalf once the hour is over.
  await hub.clock.advance(HOUR);
  await relay.next("task_assign");
  await hub.clock.advance(5 * MINUTE);
  expect(await relay.pending("task_assign")).toEqual([]);
});

test("thirty-two of its sockets that wait get one task, where its tier may hold one", async () => {
  await using hub = await TestHub.start({ issues: 0 });
  const first = await hub.relay("mallory", OLD);
  const sockets = [first];
  for (let nth = 1; nth < 32; nth += 1)
    sockets.push(Object.assign(await RawRelay.join(hub.socket, first.token, OLD), { token: "", contributorId: "" }));
  for (const socket of sockets) await socket.refused();
  for (let number = 1; number <= 40; number += 1) hub.codeHost.setIssue({ repo: "acme/one", number });
  await hub.hub.monitor.refresh();
  await hub.clock.advance(2 * MINUTE);
  const pushed = [];
  for (const socket of sockets) pushed.push(...(await socket.pending("task_assign")));
  expect(pushed).toHaveLength(1);
});

test.each([
  ["contribution is suspended", { contribute_suspended: true }],
  ["its tier is off", { disabled_tiers: ["newcomer"] }],
])("it is pushed nothing while %s", async (_, setting) => {
  await using hub = await TestHub.start({ issues: 3 });
  const relay = await hub.relay("mallory", OLD);
  await hub.admin("PUT", "/api/config/governor/hub", setting);
  await relay.refused();
  await hub.clock.advance(10 * MINUTE);
  expect(await relay.pending("task_assign")).toEqual([]);
});

test("a model that is not accepted is refused whatever its relay leaves out", async () => {
  await using hub = await TestHub.start({
    contribute: { contribute_allow_models: ["moderate-*"], contribute_reject_unknown_models: true },
  });
  const { registration_token: token } = await hub.register("mallory");
  for (const model of [undefined, "", "other"]) {
    const relay = new RawRelay(hub.socket);
    await relay.next("auth_challenge");
    relay.send({ type: "auth_response", registration_token: token, cli_backend: "claude", model });
    expect((await relay.next("auth_failed")).reason).toMatch(/model/);
  }
});

test("without a generation it can neither end, renew nor take over somebody else's task, nor learn whether there is one", async () => {
  await using hub = await TestHub.start({ contribute: UNLIMITED });
  const victim = await hub.relay("ada");
  const task = await victim.ready();
  victim.send({ type: "task_accepted", ...of(task) });
  await victim.pending();
  const before = hub.hub.ledger.lease(task.task_id);
  const thief = await hub.relay("mallory", OLD);
  for (const task_id of [task.task_id, "task-of-nobody"]) {
    thief.send({ type: "task_accepted", task_id });
    thief.send({ type: "task_complete", task_id, result: "completed", pr_url: "https://github.com/acme/one/pull/1" });
    thief.send({ type: "task_failed", task_id, reason: "x", permanent: true });
    thief.send({ type: "task_declined", task_id });
    expect(await thief.pending("task_revoke", "task_ack")).toEqual([]);
    thief.send({ type: "task_progress", task_id, repo: "acme/one", number: task.number });
    expect(await thief.next("task_revoke")).toMatchObject({ task_id, reason: NO_LEASE });
  }
  expect(hub.hub.ledger.lease(task.task_id)).toEqual(before);
  expect(await victim.pending("task_revoke")).toEqual([]);
});

test("without a generation it cannot resume its own task either: it asks for fresh work, and its task is held for nobody's harm", async () => {
  await using hub = await TestHub.start();
  const relay = await hub.relay("mallory", OLD);
  const task = await relay.ready();
  relay.send({ type: "task_accepted", ...unversioned(task) });
  await relay.pending();
  await relay.drop();
  const back = await RawRelay.join(hub.socket, relay.token, OLD);
  back.send({ type: "task_accepted", ...unversioned(task) });
  back.send({ type: "task_progress", ...unversioned(task), repo: "acme/one", number: task.number });
  await back.next("task_revoke");
  expect(await back.pending("task_revoke")).toEqual([]);
  expect((await back.ready()).number).not.toBe(task.number);
  expect(hub.hub.ledger.item(`acme/one#${task.number}`)).toMatchObject({ holdReason: "given_back", failures: 0 });
});

test("a report about a sibling's task without a generation changes nothing while the sibling is there", async () => {
  await using hub = await TestHub.start({ contribute: UNLIMITED });
  const one = await hub.relay("mallory", OLD);
  const two = await RawRelay.join(hub.socket, one.token, OLD);
  const task = await one.ready();
  one.send({ type: "task_accepted", ...unversioned(task) });
  await one.pending();
  two.send({ type: "task_complete", ...unversioned(task), result: "completed" });
  await two.pending();
  await hub.settled();
  expect(hub.hub.ledger.lease(task.task_id)).toBeDefined();
});

test("many readys at once are one question: one task is given, none handed back", async () => {
  await using hub = await TestHub.start({ issues: 9, contribute: UNLIMITED });
  const relay = await hub.relay("mallory", OLD);
  for (let nth = 0; nth < 50; nth += 1) relay.send({ type: "ready" });
  await relay.next("task_assign");
  expect(await relay.pending("task_assign", "task_unavailable")).toEqual([]);
  expect(hub.hub.queue.withheldCounts()).toEqual({ leased: 1 });
});

test("a terminal of tens of thousands of lines is cut and kept nowhere; one that no frame may hold closes its own socket", async () => {
  await using hub = await TestHub.start({ contribute: UNLIMITED });
  const relay = await hub.relay("mallory", OLD);
  const task = await relay.ready();
  relay.send({ type: "task_accepted", ...unversioned(task) });
  const lines = Array.from({ length: 20_000 }, () => "");
  relay.send({ type: "task_progress", ...unversioned(task), tmux_output: lines });
  expect(await relay.pending("task_revoke")).toEqual([]);
  relay.send({ type: "task_complete", ...unversioned(task), result: "completed", tmux_output: lines });
  await relay.pending();
  expect(hub.hub.ledger.contributorByLogin("mallory")).toMatchObject({ completed: 1 });
  relay.send({ type: "task_progress", task_id: "t", tmux_output: Array.from({ length: 1_000_000 }, () => "x") });
  expect((await relay.closed).code).toBe(1009);
});

test("no frame that it is sent holds an addition of ours", async () => {
  await using hub = await TestHub.start({ issues: 1, kind: "app" });
  const relay = await hub.relay("mallory", OLD);
  const task = await relay.ready();
  relay.send({ type: "task_accepted", ...unversioned(task) });
  expect(Object.keys(await relay.next("token_refresh")).sort()).toEqual([
    "github_token",
    "seq",
    "token_expires_at",
    "type",
  ]);
  relay.send({ type: "task_failed", ...unversioned(task), reason: "x" });
  expect(Object.keys(await relay.refused()).sort()).toEqual(["reason", "seq", "type"]);
  await hub.admin("PUT", "/api/contributors/mallory/trust", { tier: "contributor" });
  expect(Object.keys(await relay.next("notice")).sort()).toEqual(["message", "seq", "type"]);
  expect(relay.unasked("task_ack")).toEqual([]);
});
