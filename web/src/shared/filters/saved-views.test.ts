import { expect, test } from "vitest";
import { type Kept, keepViews, viewsIn, withView } from "./saved-views.ts";

function browser(): Kept {
  const values = new Map<string, string>();
  return { getItem: (key) => values.get(key) ?? null, setItem: (key, value) => void values.set(key, value) };
}

const failures = { name: "failures of today", search: { reason: "failed", since: "2026-11-23" } };

test("a view is kept for its page, sorted by name, and replaced by one of the same name", () => {
  const kept = browser();
  keepViews(kept, "/audit", withView(withView([], failures), { name: " by boss ", search: { actor: "boss" } }));
  keepViews(kept, "/audit", withView(viewsIn(kept, "/audit"), { ...failures, search: { reason: "quarantined" } }));
  expect(viewsIn(kept, "/audit")).toEqual([
    { name: "by boss", search: { actor: "boss" } },
    { name: "failures of today", search: { reason: "quarantined" } },
  ]);
  expect(viewsIn(kept, "/operations")).toEqual([]);
});

test.each(["", "{", "7", '[{"name":"","search":{}},{"name":"x","search":{"q":1}},null]'])(
  "what is stored and is no list of views is left out: %s",
  (stored) => {
    const kept = browser();
    kept.setItem("nest-views:/audit", stored);
    expect(viewsIn(kept, "/audit")).toEqual([]);
  },
);

test("a browser that keeps nothing says so", () => {
  const shut: Kept = {
    getItem: () => {
      throw new Error("denied");
    },
    setItem: () => {
      throw new Error("denied");
    },
  };
  expect(viewsIn(shut, "/audit")).toEqual([]);
  expect(keepViews(shut, "/audit", [failures])).toBe(false);
});
