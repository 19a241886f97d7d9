import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";
import { of, RawRelay } from "../harness/raw-relay.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NO_LEASE = "no active lease for this task";

interface Assigned {
  readonly task_id: string;
  readonly task_gen: number;
  readonly repo: string;
  readonly number: number;
}

/** The two frames of a resume. */
function resume(relay: RawRelay, task: Assigned, changes: object = {}): void {
  relay.send({ type: "task_accepted", ...of(task), ...changes });
  relay.send({
    type: "task_progress",
    ...of(task),
    kind: "issue",
    repo: task.repo,
    number: task.number,
    title: "x",
    status: "working",
    ...changes,
  });
}

test("an issue is handed out, accepted, worked on, completed, and held", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  expect(task).toMatchObject({
    kind: "issue",
    repo: "acme/one",
    number: 1,
    title: "Issue 1",
    url: "https://github.com/acme/one/issues/1",
  });
  expect(task.task_gen).toBeGreaterThan(0);
  expect(task).not.toHaveProperty("github_token");
  expect(await hub.actionable()).toBe(0);
  relay.send({ type: "task_accepted", ...of(task) });
  relay.send({ type: "task_progress", ...of(task), status: "working" });
  relay.send({ type: "task_complete", ...of(task), result: "completed", summary: "done", verdict: "idle" });
  expect(await relay.next("task_ack")).toMatchObject(of(task));
  expect((await relay.refused()).reason).toBe("no_matching_work");
  await hub.clock.jump(4 * HOUR);
  expect((await relay.ready()).number).toBe(1);
});

test("every ready gets an answer, with the counts of what is withheld", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const [first, second] = [await hub.relay("ada"), await hub.relay("bob")];
  await first.ready();
  expect(await second.refused()).toMatchObject({ reason: "no_matching_work", withheld: { leased: 1 } });
});

test("an accepted progress report moves the expiry to now + 30 min", async () => {
  await using hub = await TestHub.start();
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  relay.send({ type: "task_accepted", ...of(task) });
  for (let nth = 0; nth < 4; nth += 1) {
    await hub.clock.advance(20 * MINUTE);
    relay.send({ type: "task_progress", ...of(task) });
    expect(await relay.pending("task_revoke")).toEqual([]);
  }
  await hub.clock.advance(29 * MINUTE);
  expect(await relay.pending("task_revoke")).toEqual([]);
  await hub.clock.advance(1 * MINUTE + 6000);
  expect(await relay.next("task_revoke")).toMatchObject({
    task_id: task.task_id,
    reason: "task lease expired (no progress within lease TTL)",
  });
  expect(hub.withheld(task.number)).toBe("failed");
});

test("a socket drop keeps the lease; the exact claim resumes it and takes the cooldown back", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  relay.send({ type: "task_accepted", ...of(task) });
  await relay.pending();
  await relay.drop();
  const other = await hub.relay("bob");
  expect((await other.refused()).reason).toBe("no_matching_work");
  const back = await RawRelay.join(hub.socket, relay.token);
  resume(back, task);
  expect(await back.pending("task_revoke")).toEqual([]);
  await hub.settled();
  expect(hub.hub.ledger.lease(task.task_id)?.connection).toBeDefined();
  expect(hub.hub.ledger.item("acme/one#1")).toMatchObject({ holdReason: undefined, failures: 0 });
  back.send({ type: "task_complete", ...of(task), result: "completed" });
  await back.next("task_ack");
});

test.each<[string, object]>([
  ["an old generation", { task_gen: -1 + 1 }],
  ["a generation that was never given", { task_gen: 999 }],
  ["another issue", { number: 2 }],
  ["another repository", { repo: "acme/two" }],
  ["another task", { task_id: "task-x" }],
])("a claim with %s is refused with the exact text, and the recorded lease is left alone", async (_what, wrong) => {
  await using hub = await TestHub.start();
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  relay.send({ type: "task_accepted", ...of(task) });
  await relay.pending();
  await relay.drop();
  const back = await RawRelay.join(hub.socket, relay.token);
  resume(back, task, wrong);
  expect((await back.next("task_revoke")).reason).toBe(NO_LEASE);
  expect(hub.hub.ledger.lease(task.task_id)).toBeDefined();
  const third = await RawRelay.join(hub.socket, relay.token);
  resume(third, task);
  expect(await third.pending("task_revoke")).toEqual([]);
});

test("a contributor cannot resume another contributor's task", async () => {
  await using hub = await TestHub.start();
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  await relay.drop();
  const thief = await hub.relay("eve");
  resume(thief, task);
  expect((await thief.next("task_revoke")).reason).toBe(NO_LEASE);
  thief.send({ type: "task_complete", ...of(task), result: "completed" });
  await thief.next("task_ack");
  expect(hub.hub.ledger.lease(task.task_id)?.contributorId).toBe(relay.contributorId);
});

test("a relay silent longer than the lease window is refused, and that drop is nobody's failure", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  relay.send({ type: "task_accepted", ...of(task) });
  await relay.pending();
  await relay.drop();
  await hub.clock.advance(31 * MINUTE);
  const back = await RawRelay.join(hub.socket, relay.token);
  resume(back, task);
  expect((await back.next("task_revoke")).reason).toBe(NO_LEASE);
  expect(hub.hub.ledger.item("acme/one#1")?.failures).toBe(0);
  expect((await back.ready()).task_gen).toBeGreaterThan(task.task_gen);
});

test("ready while a task is held gives it back, uncounted, and ten minutes later it is offered again", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  relay.send({ type: "task_accepted", ...of(task) });
  expect((await relay.refused()).reason).toBe("no_matching_work");
  expect(hub.withheld(1)).toBe("given_back");
  await hub.clock.advance(10 * MINUTE);
  expect((await relay.ready()).number).toBe(1);
});

test("a newcomer whose relay lost its state in a crash is not blocked by its own kept lease", async () => {
  await using hub = await TestHub.start();
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  await relay.drop();
  const back = await RawRelay.join(hub.socket, relay.token);
  const other = await back.ready();
  expect(other.number).not.toBe(task.number);
});

test("three failures in a row quarantine an issue for six hours, whatever their kind", async () => {
  await using hub = await TestHub.start({
    issues: 1,
    contribute: { tier_limits: { newcomer: { max_per_hour: 0, max_per_day: 0 } } },
  });
  const relay = await hub.relay("ada");
  for (const kind of ["task", "environment", undefined]) {
    const task = await relay.ready();
    relay.send({ type: "task_accepted", ...of(task) });
    await relay.pending();
    await hub.clock.advance(2 * MINUTE);
    relay.send({ type: "task_failed", ...of(task), reason: "tests fail", failure_kind: kind });
    await relay.next("task_ack");
    await hub.clock.advance(10 * MINUTE);
  }
  expect(hub.withheld(1)).toBe("quarantined");
  await hub.clock.jump(6 * HOUR);
  expect(hub.withheld(1)).toBeUndefined();
});

test("a failure before acceptance, a decline and a stopped relay count nothing", async () => {
  await using hub = await TestHub.start({ issues: 3 });
  const relay = await hub.relay("ada");
  const ends = [
    { type: "task_failed", reason: "already has an active task", permanent: true },
    { type: "task_declined", reason: "local_capacity_guard" },
    { type: "task_failed", reason: "relay stopped", failure_kind: "environment" },
  ];
  for (const [at, end] of ends.entries()) {
    const task = await relay.ready();
    if (at === 2) relay.send({ type: "task_accepted", ...of(task) });
    relay.send({ ...end, ...of(task) });
    await relay.next("task_ack");
    expect(hub.hub.ledger.item(`acme/one#${task.number}`)).toMatchObject({ failures: 0 });
  }
  expect(hub.hub.ledger.contributor(relay.contributorId)?.failed).toBe(0);
});

test("a duplicate, late or stale terminal report is acknowledged and changes nothing", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  relay.send({ type: "task_accepted", ...of(task) });
  for (const gen of [0, task.task_gen - 1, task.task_gen + 1]) {
    relay.send({ type: "task_complete", task_id: task.task_id, task_gen: gen, result: "completed" });
    expect((await relay.next("task_ack")).task_gen).toBe(gen);
  }
  for (const gen of [-1, 1.5, "7", null, 2 ** 60])
    relay.send({ type: "task_failed", task_id: task.task_id, task_gen: gen, reason: "x" });
  await relay.pending();
  expect(hub.hub.ledger.lease(task.task_id)).toBeDefined();
  for (let nth = 0; nth < 3; nth += 1) {
    relay.send({ type: "task_complete", ...of(task), result: "completed" });
    await relay.next("task_ack");
  }
  expect(hub.hub.ledger.contributor(relay.contributorId)?.completed).toBe(1);
});

test("a report that waited in an outbox counts on the new socket without a resume", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  relay.send({ type: "task_accepted", ...of(task) });
  await relay.pending();
  await relay.drop();
  const back = await RawRelay.join(hub.socket, relay.token);
  back.send({ type: "task_complete", ...of(task), result: "completed", verdict: "idle" });
  await back.next("task_ack");
  expect(hub.withheld(1)).toBe("completed_without_pull_request");
});

test("an older socket that does not answer within five seconds is closed, and its task is the newer one's by an exact claim", async () => {
  await using hub = await TestHub.start();
  const older = await hub.relay("ada");
  const task = await older.ready();
  older.send({ type: "task_accepted", ...of(task) });
  await older.pending();
  older.socket.pause();
  const newer = await RawRelay.join(hub.socket, older.token);
  resume(newer, task);
  await newer.pending();
  await hub.clock.advance(4999);
  expect(hub.hub.ledger.lease(task.task_id)?.connection).toBeDefined();
  expect(await newer.pending("task_revoke")).toEqual([]);
  await hub.clock.advance(1);
  expect(await newer.pending("task_revoke")).toEqual([]);
  older.socket.resume();
  expect((await older.closed).code).toBe(1001);
  newer.send({ type: "task_complete", ...of(task), result: "completed", verdict: "idle" });
  await newer.next("task_ack");
  expect(hub.withheld(task.number)).toBe("completed_without_pull_request");
});

test("an operator's requeue revokes, holds ten minutes, counts nothing and hands nothing on", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  relay.send({ type: "task_accepted", ...of(task) });
  await relay.pending();
  const answer = await hub.admin("POST", `/api/contributors/${relay.contributorId}/requeue`, {
    reason: "wrong branch",
  });
  expect(answer.body).toEqual({ ok: true, released: [task.task_id] });
  expect(await relay.next("task_revoke")).toMatchObject({ task_id: task.task_id, reason: "wrong branch" });
  expect(hub.withheld(1)).toBe("requeued");
  expect(hub.hub.ledger.item("acme/one#1")?.failures).toBe(0);
  expect(await relay.pending("task_assign")).toEqual([]);
  const again = await hub.admin("POST", `/api/contributors/${relay.contributorId}/requeue`);
  expect(again.status).toBe(404);
});

test("a revoked contributor loses task and socket at once and cannot come back", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  expect((await hub.admin("POST", `/api/contributors/${relay.contributorId}/revoke`)).body).toEqual({ ok: true });
  expect(await relay.next("task_revoke")).toMatchObject({ task_id: task.task_id });
  expect((await relay.closed).code).toBe(1008);
  const back = new RawRelay(hub.socket);
  await back.next("auth_challenge");
  back.send({ type: "auth_response", registration_token: relay.token });
  expect((await back.next("auth_failed")).reason).toBe("access revoked");
  expect((await back.closed).code).toBe(1008);
  const trusted = await hub.admin("PUT", `/api/contributors/${relay.contributorId}/trust`, { tier: "trusted" });
  expect(trusted.status).toBe(409);
});

test("leases, cooldowns and limits survive a restart; generations go on rising", async () => {
  await using hub = await TestHub.start({ issues: 5 });
  const relay = await hub.relay("ada");
  const failed = await relay.ready();
  relay.send({ type: "task_accepted", ...of(failed) });
  relay.send({ type: "task_failed", ...of(failed), reason: "x" });
  const task = await relay.ready();
  relay.send({ type: "task_accepted", ...of(task) });
  await relay.pending();
  await hub.restart();
  expect((await relay.closed).code).toBe(1012);
  expect(hub.withheld(failed.number)).toBe("failed");
  const back = await RawRelay.join(hub.socket, relay.token);
  resume(back, task);
  expect(await back.pending("task_revoke")).toEqual([]);
  back.send({ type: "task_complete", ...of(task), result: "completed" });
  const third = await back.ready();
  expect(third.task_gen).toBeGreaterThan(task.task_gen);
  back.send({ type: "task_complete", ...of(third), result: "completed" });
  expect((await back.refused()).reason).toBe("hourly_limit");
});

test("the hourly limit is told with the time until it ends, and ends then", async () => {
  await using hub = await TestHub.start({ issues: 9 });
  const relay = await hub.relay("ada");
  for (let nth = 0; nth < 3; nth += 1) {
    const task = await relay.ready();
    relay.send({ type: "task_complete", ...of(task), result: "completed" });
    await relay.next("task_ack");
    await hub.clock.advance(MINUTE);
  }
  const refused = await relay.refused();
  expect(refused).toMatchObject({ reason: "hourly_limit", retry_after_s: 57 * 60 });
  await hub.clock.advance(57 * MINUTE);
  await relay.ready();
});

test("three quick counted failures pause the contributor, not the issue's others", async () => {
  await using hub = await TestHub.start({
    issues: 9,
    contribute: { tier_limits: { newcomer: { max_per_hour: 0, max_per_day: 0 } } },
  });
  const relay = await hub.relay("ada");
  for (let nth = 0; nth < 3; nth += 1) {
    const task = await relay.ready();
    relay.send({ type: "task_accepted", ...of(task) });
    relay.send({ type: "task_failed", ...of(task), reason: "cli crashed" });
    await relay.next("task_ack");
  }
  expect(await relay.refused()).toMatchObject({ reason: "contributor_failure_streak", retry_after_s: 600 });
  await (await hub.relay("bob")).ready();
});

test("new work is pushed to a waiting relay at once, if that relay accepts pushes", async () => {
  await using hub = await TestHub.start({ issues: 0 });
  const pushed = await hub.relay("ada", {
    capabilities: { relay_capabilities: ["task_ack", "task_push", "withheld_counts", "limits_left"] },
  });
  const plain = await hub.relay("bob");
  expect((await plain.refused()).reason).toBe("no_matching_work");
  expect((await pushed.refused()).reason).toBe("no_matching_work");
  hub.codeHost.setIssue({ repo: "acme/one", number: 1 });
  hub.codeHost.setIssue({ repo: "acme/one", number: 2 });
  await hub.hub.monitor.refresh();
  await pushed.next("task_assign");
  expect(await plain.pending("task_assign")).toEqual([]);
});
