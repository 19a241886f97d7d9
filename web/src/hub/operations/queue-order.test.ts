import { expect, test } from "vitest";
import { LAST_PLACE, orderAfterMove, placeFault, sourceOf } from "./queue-order.ts";

const items = (...keys: string[]) => keys.map((key) => ({ key }));
const ordered = (...keys: string[]) => keys.map((key) => ({ key, ordered: true }));

test("an issue moved to the top is put in front, alone", () => {
  expect(orderAfterMove(items("a", "b", "c"), [], "c", 0)).toEqual(["c"]);
});

test("an issue moved to a place takes those before it to the front with it, so that it is that number", () => {
  expect(orderAfterMove(items("a", "b", "c", "d"), [], "d", 2)).toEqual(["a", "b", "d"]);
  expect(orderAfterMove(items("a", "b", "c", "d"), [], "a", 2)).toEqual(["b", "c", "a"]);
});

test("what was put in front before stays there, also behind the place", () => {
  const head = [...ordered("x", "y"), ...items("a", "b")];
  expect(orderAfterMove(head, ["x", "y"], "b", 1)).toEqual(["x", "b", "y"]);
});

test("what was put in front and is not on offer right now is not forgotten", () => {
  const head = [...ordered("x"), ...items("a")];
  expect(orderAfterMove(head, ["held", "x"], "a", 0)).toEqual(["a", "x", "held"]);
});

test("an issue from far behind the head can be moved too", () => {
  expect(orderAfterMove(items("a", "b"), [], "z", 1)).toEqual(["a", "z"]);
});

test("no pinned issue falls out of the list because another one is moved", () => {
  const pinned = Array.from({ length: 512 }, (_, nth) => `held-${nth}`);
  expect(orderAfterMove(items("a"), pinned, "a", 0)).toEqual(["a", ...pinned]);
});

test("while an issue is dragged, the others make way", () => {
  const drawn = (from: number, to: number) => [0, 1, 2, 3].map((place) => sourceOf(place, from, to));
  expect(drawn(0, 2)).toEqual([1, 2, 0, 3]);
  expect(drawn(3, 1)).toEqual([0, 3, 1, 2]);
  expect(drawn(2, 2)).toEqual([0, 1, 2, 3]);
});

test("a number that no issue can be moved to is refused, not replaced by another one", () => {
  expect(placeFault(LAST_PLACE, LAST_PLACE)).toBeUndefined();
  expect(placeFault(600, LAST_PLACE)).toBe("a number from 1 to 500");
  expect(placeFault(13, 12)).toBe("a number from 1 to 12: so many are on offer");
  for (const nothing of ["", 0, -1, 1.5, "x"]) expect(placeFault(nothing, LAST_PLACE)).toBeDefined();
});
