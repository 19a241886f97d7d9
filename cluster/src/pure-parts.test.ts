import { expect, test } from "vitest";
import { labelSelector } from "./label-selector.ts";
import { appliedOver, mergePatch } from "./merge.ts";
import { linesOf } from "./watch-lines.ts";

test.each([
  ["a=b,c!=d,e", { a: "b", e: "" }, true],
  ["a=b,c!=d,e", { a: "b", c: "d", e: "" }, false],
  ["a==b", { a: "b" }, true],
  ["!a", { a: "b" }, false],
  ["!a", {}, true],
  ["a in (b, c),d", { a: "c", d: "1" }, true],
  ["a in (b,c)", {}, false],
  ["a notin (b,c)", {}, true],
  ["a notin (b,c)", { a: "b" }, false],
  ["", { a: "b" }, true],
])("the selector %s of the labels %j is %s", (selector, labels, isMeant) => {
  expect(labelSelector(selector)(labels)).toBe(isMeant);
});

test("a merge patch merges objects, takes null away and replaces lists", () => {
  const target = { a: { b: 1, c: 2 }, list: [1, 2], kept: true };
  expect(mergePatch(target, { a: { b: null, d: 3 }, list: [9] })).toEqual({ a: { c: 2, d: 3 }, list: [9], kept: true });
});

test("an applied object loses what its manager no longer names, and only that", () => {
  const current = { spec: { mine: 1, theirs: 2, both: { mine: 1, theirs: 2 } }, status: { ready: true } };
  const before = { spec: { mine: 1, both: { mine: 1 } } };
  const now = { spec: { theirs: 2, both: { theirs: 2 } }, status: { ready: true } };
  expect(appliedOver(current, before, { spec: {} })).toEqual(now);
});

test("lines come whole however the bytes are cut, and what has no end is dropped", async () => {
  const bytes = Buffer.from("één\ntwo\n\nlast without an end");
  for (let size = 1; size <= bytes.length; size++) {
    const pieces = (async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    })();
    const lines: string[] = [];
    for await (const line of linesOf(pieces, "watch")) lines.push(line);
    expect(lines).toEqual(["één", "two", ""]);
  }
});

test("a line that never ends is given up", async () => {
  const pieces = (async function* () {
    for (;;) yield Buffer.alloc(4 * 1024 * 1024, "x");
  })();
  await expect(linesOf(pieces, "watch").next()).rejects.toMatchObject({ code: "cluster_failed" });
});
