import { expect, test } from "vitest";
import { beginDraft, changeOf, edit, receive, settle } from "./draft.ts";

interface Values {
  readonly titles: readonly string[];
  readonly hours: number;
  readonly isOpen: boolean;
}
const base: Values = { titles: ["a"], hours: 1, isOpen: false };
const begun = beginDraft(base, "one");

test("only changed keys are put", () => {
  expect(changeOf(edit(begun, { isOpen: true, hours: 1 }))).toEqual({ isOpen: true });
});

test("what somebody else changed is taken over, and what was changed here stays", () => {
  const draft = receive(edit(begun, { titles: ["mine"] }), { ...base, isOpen: true }, "two");
  expect(draft).toEqual({
    base: { ...base, isOpen: true },
    revision: "two",
    values: { ...base, titles: ["mine"], isOpen: true },
    conflicts: [],
    taken: ["isOpen"],
    dropped: {},
  });
});

test("a change of what somebody else has taken away is dropped, and is said to be", () => {
  const entries = beginDraft<Readonly<Record<string, string>>>({ one: "a", two: "a" }, "one");
  const draft = receive(edit(entries, { one: "mine", two: "b" }), { one: "a" }, "two");
  expect([draft.dropped, draft.values, changeOf(draft)]).toEqual([{ two: "b" }, { one: "mine" }, { one: "mine" }]);
  expect(receive(draft, { one: "c" }, "three").dropped).toEqual({ two: "b" });
});

test("a conflict over what somebody else has taken away is none any more", () => {
  const entries = beginDraft<Readonly<Record<string, string>>>({ one: "a", two: "a" }, "one");
  const conflict = receive(edit(entries, { two: "b" }), { one: "a", two: "c" }, "two");
  const draft = receive(conflict, { one: "a" }, "three");
  expect([draft.conflicts, draft.dropped]).toEqual([[], { two: "b" }]);
});

test("a key that both changed is a conflict, unless both want the same", () => {
  const mine = edit(begun, { titles: ["mine"], hours: 9 });
  const draft = receive(mine, { ...base, titles: ["theirs"], hours: 9 }, "two");
  expect([draft.conflicts, draft.values.titles, draft.taken]).toEqual([["titles"], ["mine"], []]);
  expect(edit(draft, { titles: ["theirs"] }).conflicts).toEqual([]);
});

test("a conflict that nobody has settled stays one when others go on changing other things", () => {
  const conflict = receive(edit(begun, { titles: ["mine"] }), { ...base, titles: ["theirs"] }, "two");
  const later = receive(conflict, { ...base, titles: ["theirs"], hours: 2 }, "three");
  expect([later.conflicts, later.values.titles, later.taken]).toEqual([["titles"], ["mine"], ["hours"]]);
  const back = receive(later, { ...base, titles: ["mine"], hours: 2 }, "four");
  expect(back.conflicts).toEqual([]);
});

test("a settled conflict holds what was chosen, and another change by somebody else is another conflict", () => {
  const conflict = receive(edit(begun, { titles: ["mine"] }), { ...base, titles: ["theirs"] }, "two");
  expect(changeOf(settle(conflict, "titles", "theirs"))).toEqual({});
  const mine = settle(conflict, "titles", "mine");
  expect([mine.conflicts, changeOf(mine)]).toEqual([[], { titles: ["mine"] }]);
  expect(receive(mine, { ...base, titles: ["theirs again"] }, "three").conflicts).toEqual(["titles"]);
});
