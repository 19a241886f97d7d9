import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";
import { of, RawRelay } from "../harness/raw-relay.ts";

// Several machines of one contributor, by design or by accident: none destroys another's work, and none fills the hub.

const MINUTE = 60_000;
const NO_LEASE = "no active lease for this task";

interface Assigned {
  readonly task_id: string;
  readonly task_gen: number;
  readonly repo: string;
  readonly number: number;
}

function claim(relay: RawRelay, task: Assigned): void {
  relay.send({ type: "task_accepted", ...of(task) });
  relay.send({ type: "task_progress", ...of(task), kind: "issue", repo: task.repo, number: task.number });
}

async function accept(relay: RawRelay, task: Assigned): Promise<void> {
  relay.send({ type: "task_accepted", ...of(task) });
  await relay.pending();
}

/** A trusted contributor with these machines, each on a socket of its own. */
async function machines(hub: TestHub, ...sessions: (string | undefined)[]) {
  const { registration_token: token } = await hub.register("ada");
  await hub.admin("PUT", "/api/contributors/ada/trust", { tier: "trusted" });
  const join = (session: string | undefined) =>
    RawRelay.join(hub.socket, token, session === undefined ? {} : { session });
  return { token, join, relays: (await Promise.all(sessions.map(join))) as [RawRelay, RawRelay] };
}

function holderOf(hub: TestHub, task: Assigned): string | undefined {
  return hub.hub.ledger.lease(task.task_id)?.connection;
}

test.each([
  ["without session names", undefined, undefined],
  ["with names of their own", "desk", "laptop"],
  ["one with a name and one without", undefined, "laptop"],
  ["with the same name", "desk", "desk"],
])("two machines %s work side by side, each on its own task", async (_how, one, two) => {
  await using hub = await TestHub.start({ issues: 9 });
  const { relays } = await machines(hub, one, two);
  const tasks = [];
  for (const relay of relays) tasks.push(await relay.ready());
  for (const [at, relay] of relays.entries()) await accept(relay, tasks[at] as Assigned);
  for (let round = 0; round < 3; round += 1) {
    for (const [at, relay] of relays.entries()) {
      const task = tasks[at] as Assigned;
      relay.send({ type: "task_complete", ...of(task), result: "completed" });
      await relay.next("task_ack");
      const next = await relay.ready();
      await accept(relay, next);
      tasks[at] = next;
      expect(tasks.map((held) => holderOf(hub, held as Assigned))).not.toContain(undefined);
    }
  }
  for (const relay of relays) expect(relay.unasked("task_revoke")).toEqual([]);
  expect(hub.hub.ledger.contributorByLogin("ada")).toMatchObject({ completed: 6, failed: 0 });
  expect(hub.hub.queue.withheldCounts()).not.toHaveProperty("given_back");
});

test("the machines of a contributor together hold as many tasks as the tier allows", async () => {
  await using hub = await TestHub.start({ issues: 9 });
  const one = await hub.relay("ada", { session: "desk" });
  const two = await RawRelay.join(hub.socket, one.token, { session: "laptop" });
  await accept(one, await one.ready());
  expect((await two.refused()).reason).toBe("concurrency_limit");
});

test("a machine that claims a task of another connected machine is refused once, and the task stays where it is", async () => {
  await using hub = await TestHub.start();
  const {
    relays: [one, two],
  } = await machines(hub, "desk", "laptop");
  const task = await one.ready();
  await accept(one, task);
  const before = holderOf(hub, task);
  claim(two, task);
  expect(await two.next("task_revoke")).toMatchObject({ task_id: task.task_id, reason: NO_LEASE });
  expect(await two.pending("task_revoke")).toEqual([]);
  two.send({ type: "task_failed", ...of(task), reason: "not mine", permanent: true });
  await two.next("task_ack");
  expect(holderOf(hub, task)).toBe(before);
  expect(await one.pending("task_revoke")).toEqual([]);
  one.send({ type: "task_complete", ...of(task), result: "completed" });
  await one.next("task_ack");
  expect(hub.hub.ledger.contributorByLogin("ada")).toMatchObject({ completed: 1, failed: 0 });
});

test("a relay that got a session name since its last connection goes on with the task it had without one", async () => {
  await using hub = await TestHub.start();
  const {
    join,
    relays: [one],
  } = await machines(hub, undefined, "laptop");
  const task = await one.ready();
  await accept(one, task);
  await one.drop();
  const named = await join("desk");
  claim(named, task);
  expect(await named.pending("task_revoke")).toEqual([]);
  await hub.settled();
  expect(holderOf(hub, task)).toBeDefined();
});

test("frames that arrive while an older socket is being probed wait, and are answered in their order", async () => {
  await using hub = await TestHub.start();
  const {
    join,
    relays: [old],
  } = await machines(hub, "desk", "laptop");
  const task = await old.ready();
  await accept(old, task);
  old.socket.pause();
  const back = await join("desk");
  claim(back, task);
  back.send({ type: "task_complete", ...of(task), result: "completed" });
  back.send({ type: "ready" });
  await back.pending();
  expect(back.unasked("task_ack", "task_assign")).toEqual([]);
  await hub.clock.advance(5000);
  await back.next("task_ack");
  expect((await back.next("task_assign")).task_id).not.toBe(task.task_id);
  expect(back.unasked("task_revoke")).toEqual([]);
  expect(hub.hub.ledger.contributorByLogin("ada")).toMatchObject({ completed: 1 });
  old.socket.resume();
  expect((await old.closed).code).toBe(1001);
});

test("a relay that floods the hub while an older socket is being probed is cut off", async () => {
  await using hub = await TestHub.start();
  const {
    join,
    relays: [old],
  } = await machines(hub, "desk", "laptop");
  await old.ready();
  old.socket.pause();
  const back = await join("desk");
  for (let nth = 0; nth < 200; nth += 1) back.send({ type: "ready" });
  expect((await back.closed).code).toBe(1008);
});

test("a ready gives up the task that a lost connection of the same name held, and no task of another name", async () => {
  await using hub = await TestHub.start({ issues: 9 });
  const {
    join,
    relays: [desk, laptop],
  } = await machines(hub, "desk", "laptop");
  const [ofDesk, ofLaptop] = [await desk.ready(), await laptop.ready()];
  await accept(desk, ofDesk);
  await accept(laptop, ofLaptop);
  await Promise.all([desk.drop(), laptop.drop()]);
  await hub.clock.advance(10 * MINUTE);
  const back = await join("desk");
  const next = await back.ready();
  expect(hub.hub.ledger.lease(ofDesk.task_id)).toBeUndefined();
  expect(hub.hub.ledger.item(`acme/one#${ofDesk.number}`)).toMatchObject({ holdReason: "given_back", failures: 0 });
  expect(hub.hub.ledger.lease(ofLaptop.task_id)).toBeDefined();
  await accept(back, next);
  const again = await join("laptop");
  claim(again, ofLaptop);
  expect(await again.pending("task_revoke")).toEqual([]);
});

test.each([
  [59_999, true],
  [60_000, false],
])("a task held without a name whose connection has been gone for %i ms is kept: %s", async (gone, isKept) => {
  await using hub = await TestHub.start({ issues: 9 });
  const {
    relays: [one, two],
  } = await machines(hub, undefined, undefined);
  const task = await one.ready();
  await accept(one, task);
  await one.drop();
  await hub.settled();
  await hub.clock.jump(gone);
  await two.ready();
  expect(hub.hub.ledger.lease(task.task_id) !== undefined).toBe(isKept);
});

test("a newcomer whose nameless relay lost its state gets work at once, because its kept task would block everything else", async () => {
  await using hub = await TestHub.start({ issues: 9 });
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  await accept(relay, task);
  await relay.drop();
  const back = await RawRelay.join(hub.socket, relay.token);
  expect((await back.ready()).number).not.toBe(task.number);
  expect(hub.hub.ledger.item(`acme/one#${task.number}`)).toMatchObject({ holdReason: "given_back", failures: 0 });
});

test("a ready that crosses an offer on the wire does not give the offer back; the relay can ask again once it has answered", async () => {
  await using hub = await TestHub.start({ issues: 9 });
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  relay.send({ type: "ready" });
  await relay.pending();
  await hub.settled();
  expect(hub.hub.ledger.lease(task.task_id)).toBeDefined();
  relay.send({ type: "task_declined", ...of(task) });
  await relay.next("task_ack");
  await relay.ready();
});

test("a ready that crosses an offer counts after five seconds if the offer is not answered by then", async () => {
  await using hub = await TestHub.start({ issues: 9 });
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  relay.send({ type: "ready" });
  relay.send({ type: "ready" });
  await relay.pending();
  await hub.clock.advance(5000);
  expect((await relay.next("task_assign")).task_id).not.toBe(task.task_id);
  expect(hub.withheld(task.number)).toBe("given_back");
  await hub.clock.advance(5000);
  expect(await relay.pending("task_assign", "task_unavailable")).toEqual([]);
});

test("people can tell the machines of one contributor apart", async () => {
  await using hub = await TestHub.start({ issues: 9 });
  const {
    relays: [desk],
  } = await machines(hub, "desk", "laptop");
  const task = await desk.ready();
  const { clankers, work } = (await hub.call("GET", "/api/contribute/fleet")).body as {
    clankers: { session?: string; current_task?: string }[];
    work: { session?: string }[];
  };
  expect(clankers.map(({ session, current_task: at }) => [session, at]).sort()).toEqual([
    ["desk", task.task_id],
    ["laptop", undefined],
  ]);
  expect(work).toEqual([expect.objectContaining({ session: "desk" })]);
});
