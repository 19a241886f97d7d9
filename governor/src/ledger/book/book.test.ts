import { seededRandom } from "@nest/kit";
import { type Bead, type BeadStatus, isFinished, type LedgerLine } from "@nest/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Book } from "./book.ts";
import { circles, reaches } from "./graph.ts";

const AT = "2026-01-01T00:00:00.000Z";

function aBead(bead: Partial<Bead> & { id: string }): Bead {
  return {
    title: bead.id,
    type: "task",
    status: "open",
    priority: 2,
    actor: "scanner",
    metadata: {},
    notes: "",
    created_at: AT,
    updated_at: AT,
    depends_on: [],
    ...bead,
  };
}

const random = seededRandom(3);
const base = () => ({ n: random.hex(8), at: AT, by: "scanner" });

const names = ["a", "b", "c", "d", "e", "f"];
const oneOf = fc.constantFrom(...names);
const aStatus = fc.constantFrom<BeadStatus>("open", "in_progress", "blocked", "done", "closed");
const anAct = fc.oneof(
  fc.record({ act: fc.constant("put" as const), id: oneOf, status: aStatus, priority: fc.nat(4), on: fc.array(oneOf) }),
  fc.record({ act: fc.constant("change" as const), id: oneOf, status: aStatus, priority: fc.nat(4) }),
  fc.record({ act: fc.constant("depend" as const), id: oneOf, add: fc.array(oneOf), remove: fc.array(oneOf) }),
  fc.record({ act: fc.constant("ask" as const) }),
);

/** What the specification says, walked through anew: open, and everything it depends on is there and finished. */
function readyByTheSpec(beads: ReadonlyMap<string, Bead>): string[] {
  return [...beads.values()]
    .filter(
      ({ id, status, depends_on }) =>
        status === "open" &&
        depends_on.every((other) => other !== id && isFinished(beads.get(other)?.status ?? "open")),
    )
    .sort((one, other) => one.priority - other.priority || (one.id < other.id ? -1 : 1))
    .map(({ id }) => id);
}

test("whatever the changes, ready is what a walk over all beads says", () => {
  fc.assert(
    fc.property(fc.array(anAct, { maxLength: 60 }), (acts) => {
      const book = new Book();
      for (const act of acts) {
        if (act.act === "ask") {
          const all = new Map([...book.beads()].map((bead) => [bead.id, bead]));
          expect(book.ready(100).map(({ id }) => id)).toEqual(readyByTheSpec(all));
          expect(book.readyCount()).toBe(readyByTheSpec(all).length);
        } else book.apply(lineOf(act, book));
      }
      const all = new Map([...book.beads()].map((bead) => [bead.id, bead]));
      expect(book.ready(100).map(({ id }) => id)).toEqual(readyByTheSpec(all));
    }),
    { numRuns: 500 },
  );
});

type Act = typeof anAct extends fc.Arbitrary<infer Value> ? Value : never;

function lineOf(act: Exclude<Act, { act: "ask" }>, book: Book): LedgerLine {
  const after = book.dependTip;
  switch (act.act) {
    case "put": {
      const { id, status, priority, on } = act;
      return { op: "put", ...base(), bead: aBead({ id, status, priority, depends_on: [...new Set(on)] }), after };
    }
    case "change":
      return { op: "change", ...base(), id: act.id, set: { status: act.status, priority: act.priority } };
    case "depend":
      return { op: "depend", ...base(), id: act.id, add: act.add, remove: act.remove, after };
  }
}

test("circles are found whole, and nothing else is", () => {
  const edges = fc.array(fc.tuple(oneOf, oneOf), { maxLength: 12 });
  fc.assert(
    fc.property(edges, (pairs) => {
      const graph = new Map(names.map((name) => [name, pairs.filter(([from]) => from === name).map(([, to]) => to)]));
      const dependsOn = (id: string) => graph.get(id) ?? [];
      const found = circles(names, dependsOn).flat().sort();
      const expected = names.filter((name) => dependsOn(name).some((next) => reaches(next, name, dependsOn)));
      expect(found).toEqual(expected);
    }),
  );
});

test("a chain of 100,000 beads is walked through without recursion", () => {
  const dependsOn = (id: string) => (Number(id) === 100_000 ? [] : [String(Number(id) + 1)]);
  expect(circles(["0"], dependsOn)).toEqual([]);
  expect(reaches("0", "100000", dependsOn)).toBe(true);
});

test("a change of dependencies counts only after the one that its writer knew", () => {
  const book = new Book();
  for (const id of ["a", "b"]) book.apply({ op: "create", ...base(), bead: aBead({ id }) });
  const known = book.dependTip;
  expect(book.apply({ op: "depend", ...base(), id: "a", add: ["b"], remove: [], after: known })).toBeUndefined();
  expect(book.apply({ op: "depend", ...base(), id: "b", add: ["a"], remove: [], after: known })).toBe("overtaken");
  expect(book.circles()).toEqual([]);
});

test("circles that somebody wrote into a ledger by hand are told of, and nobody in them is ready", () => {
  const book = new Book();
  book.apply({ op: "create", ...base(), bead: aBead({ id: "a", depends_on: ["b"] }) });
  book.apply({ op: "create", ...base(), bead: aBead({ id: "b", depends_on: ["a"] }) });
  book.apply({ op: "create", ...base(), bead: aBead({ id: "c", depends_on: ["c"] }) });
  expect(book.circles().map((ids) => ids.sort())).toEqual([["a", "b"], ["c"]]);
  expect(book.readyCount()).toBe(0);
});
