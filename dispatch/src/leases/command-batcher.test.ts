import { silentLog, VirtualClock } from "@nest/kit";
import { expect, test } from "vitest";
import { noChanges } from "./changes.ts";
import { type BatchListener, CommandBatcher } from "./command-batcher.ts";
import { LeaseDecider } from "./lease-decider.ts";
import type { BatchResult, LedgerStore, ReplicaUpdate } from "./ledger-store.ts";
import { aCandidate, aContributor, aDecider, ada, aLease, type InTheLedger, NOW } from "./testing/small-decider.ts";

/** A batcher with a store in memory that a test can make fail, and the calls of its listener, in order. */
function aBatcher(holds: InTheLedger = { candidates: [aCandidate(1)] }) {
  const deps = aDecider(holds);
  const clock = new VirtualClock(NOW);
  const transactions: BatchResult[] = [];
  const script: { fails: boolean; update: ReplicaUpdate | undefined } = { fails: false, update: undefined };
  const store: LedgerStore = {
    transact(decide) {
      const { update } = script;
      script.update = undefined;
      const result = decide(update);
      if (script.fails) throw new Error("the disk is full");
      if (result !== undefined) transactions.push(result);
    },
  };
  const told: string[] = [];
  const listener: BatchListener = {
    lost: (connections) => told.push(`lost ${connections.join()}`),
    committed: () => told.push("committed"),
    changed: () => told.push("changed"),
    reloaded: () => told.push("reloaded"),
    effect: ({ kind }) => told.push(kind),
  };
  const batcher = new CommandBatcher({
    ledger: deps.ledger,
    decider: new LeaseDecider(deps),
    store,
    clock,
    log: silentLog(),
    schedule: () => {},
  });
  batcher.listen(listener);
  return { batcher, ledger: deps.ledger, clock, transactions, script, told };
}

test("what arrives in one turn is one transaction, and no effect leaves before it", () => {
  const { batcher, transactions, told } = aBatcher();
  batcher.submit({ kind: "ready", ...ada });
  batcher.submit({ kind: "presence", contributorId: "c-ada", action: "joined", detail: "" });
  expect([transactions.length, told]).toEqual([0, []]);
  void batcher.flush();
  expect(transactions).toHaveLength(1);
  expect(told).toEqual(["committed", "changed", "assign"]);
});

test("a batch that changes nothing is not written, and is answered all the same", async () => {
  const { batcher, transactions, told } = aBatcher({ candidates: [] });
  const asked = batcher.ask({ kind: "ready", ...ada });
  void batcher.flush();
  expect((await asked).map(({ kind }) => kind)).toEqual(["unavailable"]);
  expect([transactions.length, told]).toEqual([0, ["unavailable"]]);
});

test("a batch that cannot be written changes nothing: who asked is told, a report is to be sent again", async () => {
  const { batcher, ledger, script, told } = aBatcher({ leases: [aLease()], candidates: [aCandidate(2)] });
  script.fails = true;
  const { taskId, gen } = aLease();
  batcher.submit({ kind: "declined", ...ada, taskId, gen, reason: "no time" });
  const asked = batcher.ask({ kind: "trust", contributorId: "c-ada", tier: "trusted", actor: "root" });
  void batcher.flush();
  await expect(asked).rejects.toMatchObject({ code: "storage_unavailable" });
  expect(told).toEqual(["resend_required"]);
  expect([ledger.lease(taskId), ledger.contributor("c-ada")?.tier]).toEqual([aLease(), "newcomer"]);
  expect(batcher.isBehind).toBe(true);
});

test("a relay whose ready could not be written hears that the hub is not ready", () => {
  const { batcher, script, told } = aBatcher();
  script.fails = true;
  batcher.submit({ kind: "ready", ...ada });
  void batcher.flush();
  expect(told).toEqual(["unavailable"]);
});

test("a fact that could not be written is submitted again a second later", async () => {
  const { batcher, ledger, clock, script } = aBatcher({ leases: [aLease()] });
  script.fails = true;
  batcher.submit({ kind: "dropped", ...ada });
  void batcher.flush();
  script.fails = false;
  await clock.advance(1000);
  void batcher.flush();
  expect(ledger.lease("t-1")?.connection).toBeUndefined();
});

test("what nobody waits for is written 50 ms later, or with the next batch", async () => {
  const { batcher, clock, transactions } = aBatcher();
  const joined = { kind: "presence", contributorId: "c-ada", action: "joined", detail: "" } as const;
  batcher.submitLazily(joined);
  await clock.advance(49);
  expect(transactions).toHaveLength(0);
  await clock.advance(1);
  expect(transactions).toHaveLength(1);
  batcher.submitLazily(joined);
  batcher.submit({ kind: "ready", ...ada });
  void batcher.flush();
  await clock.advance(100);
  expect(transactions).toHaveLength(2);
});

test("another replica's batch is applied before anything is decided; its effects follow what it changed", () => {
  const { batcher, ledger, script, told } = aBatcher();
  const revoked = aContributor({ tier: "revoked" });
  const effects = [[{ kind: "close", contributorId: "c-ada", reason: "access revoked" }]] as const;
  const changes = { ...noChanges(), contributors: new Map([["c-ada", revoked]]) };
  script.update = { kind: "batches", batches: [{ changes, effects }] };
  batcher.requestSync();
  void batcher.flush();
  expect(ledger.contributor("c-ada")?.tier).toBe("revoked");
  expect(told).toEqual(["changed", "close"]);
});

test("connections whose leases became away elsewhere are lost; more than is known one by one is a reload", () => {
  const { batcher, script, told } = aBatcher({ leases: [aLease()] });
  const away = aLease(1, { connection: undefined });
  const changes = { ...noChanges(), leases: new Map([[away.taskId, away]]) };
  script.update = { kind: "batches", batches: [{ changes, effects: [] }] };
  batcher.requestSync();
  void batcher.flush();
  expect(told).toEqual([`lost ${ada.connection}`, "changed"]);
  const rows = { leases: [], items: [], contributors: [aContributor()], gen: 900, activityId: 9 };
  script.update = { kind: "everything", rows };
  batcher.requestSync();
  void batcher.flush();
  expect(told.slice(2)).toEqual(["reloaded"]);
});

test("a batcher that is closed writes what is waiting, and refuses what comes later", async () => {
  const { batcher, transactions } = aBatcher();
  batcher.submit({ kind: "ready", ...ada });
  await batcher.close();
  expect(transactions).toHaveLength(1);
  await expect(batcher.ask({ kind: "sweep" })).rejects.toMatchObject({ code: "hub_stopping" });
});
