import fc from "fast-check";
import { expect, test } from "vitest";
import type { Entry } from "./entry.ts";
import { ReadyList } from "./ready-list.ts";

function anEntry(number: number, failures: number): Entry {
  const issue = { repo: "acme/one", number, title: "", body: "", url: "", author: "", labels: [], updatedAt: 0 };
  return { ...issue, key: `acme/one#${number}`, issue, failures, filtered: undefined, withheld: undefined };
}

test("whatever is put in and taken out, the list is in order: fewer failures first, then the older issue", () => {
  const step = fc.record({ take: fc.boolean(), number: fc.nat(60), failures: fc.nat(2) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const list = new ReadyList();
      const inside = new Map<number, Entry>();
      for (const { take, number, failures } of steps) {
        const known = inside.get(number);
        if (take && known !== undefined) {
          list.remove(known);
          inside.delete(number);
        } else if (!take && known === undefined) {
          inside.set(number, anEntry(number, failures));
          list.insert(inside.get(number)!);
        }
      }
      const expected = [...inside.values()].sort((a, b) => a.failures - b.failures || a.number - b.number);
      expect([...list.inOrder()]).toEqual(expected);
      expect(list.length).toBe(expected.length);
    }),
  );
});

test("going through the list survives the removal of what was just given, thousands of times", () => {
  const list = new ReadyList();
  for (let number = 1; number <= 5000; number += 1) list.insert(anEntry(number, 0));
  const taken: number[] = [];
  for (const entry of list.inOrder()) {
    taken.push(entry.number);
    list.remove(entry);
  }
  expect(taken).toEqual(Array.from({ length: 5000 }, (_, at) => at + 1));
  expect(list.length).toBe(0);
});
