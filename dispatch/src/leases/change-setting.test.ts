import { silentLog, VirtualClock } from "@nest/kit";
import { expect, test } from "vitest";
import { changeSetting } from "./change-setting.ts";
import { noChanges } from "./changes.ts";
import { CommandBatcher } from "./command-batcher.ts";
import { LeaseDecider } from "./lease-decider.ts";
import type { LedgerStore, ReplicaUpdate } from "./ledger-store.ts";
import { aDecider, NOW } from "./testing/small-decider.ts";

/** A replica whose setting `order` is `["a"]`, and what its next transaction learns of other replicas. */
function aReplica() {
  const deps = aDecider({ settings: { order: ["a"] } });
  const script: { fails: boolean; update: ReplicaUpdate | undefined } = { fails: false, update: undefined };
  const store: LedgerStore = {
    transact(decide) {
      const { update } = script;
      script.update = undefined;
      decide(update);
      if (script.fails) throw new Error("the disk is full");
    },
  };
  const clock = new VirtualClock(NOW);
  const decider = new LeaseDecider(deps);
  const batcher = new CommandBatcher({ ledger: deps.ledger, decider, store, clock, log: silentLog() });
  const seen: unknown[] = [];
  /** Appends a word to the order, unless it is in it. */
  const append = (word: string) =>
    changeSetting({ ledger: deps.ledger, batcher }, { name: "order", actor: "grace" }, (before) => {
      seen.push(before);
      const order = before as string[];
      return order.includes(word) ? undefined : { value: [...order, word] };
    });
  /** Another replica has written this; the next transaction reads it. */
  const writtenElsewhere = (order: string[]) => {
    const changes = { ...noChanges(), settings: new Map([["order", order]]) };
    script.update = { kind: "batches", batches: [{ changes, effects: [] }] };
  };
  return { append, script, seen, writtenElsewhere, order: () => deps.ledger.setting("order") };
}

test("of two admins who change a setting at once, each gets what they asked for", async () => {
  const { append, order } = aReplica();
  await Promise.all([append("b"), append("c")]);
  expect(order()).toEqual(["a", "b", "c"]);
});

test("a change is made again from what another replica wrote meanwhile", async () => {
  const { append, order, seen, writtenElsewhere } = aReplica();
  writtenElsewhere(["a", "z"]);
  await append("b");
  expect([seen, order()]).toEqual([
    [["a"], ["a", "z"]],
    ["a", "z", "b"],
  ]);
});

test("nothing is left as it is because of a value that another replica has replaced", async () => {
  const { append, order, writtenElsewhere } = aReplica();
  writtenElsewhere(["z"]);
  await append("a");
  expect(order()).toEqual(["z", "a"]);
});

test("a change that cannot be written is refused once, and the setting stays as it was", async () => {
  const { append, order, script, seen } = aReplica();
  script.fails = true;
  await expect(append("b")).rejects.toMatchObject({ code: "storage_unavailable" });
  expect([seen.length, order()]).toEqual([1, ["a"]]);
});
