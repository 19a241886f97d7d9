import { isQuick, Ledger, noChanges } from "@nest/dispatch";
import { expect, test } from "vitest";
import { Governor } from "./queue-settings.ts";
import { changed, defaultSettings } from "./settings.ts";

/** Expressions that nobody compiled before; some milliseconds each. */
function costly(count: number, mark: string): string[] {
  return Array.from({ length: count }, (_, at) => `/(?:\\pL{3}|\\pN|${mark}${at})+[B-\u{4fff}]{2}/`);
}

function aGovernor() {
  const past = { assignedAt: () => undefined, isCounted: () => false };
  const rows = { leases: [], items: [], contributors: [], gen: 0, activityId: 0, settings: new Map() };
  const ledger = new Ledger(rows, past);
  const { promise: compiled, resolve: onCompiled } = Promise.withResolvers<void>();
  const invalid: unknown[] = [];
  const onInvalid = (because: unknown) => invalid.push(because);
  const governor = new Governor({ ledger, first: defaultSettings, onCompiled, onInvalid });
  /** Another replica's change arrives with its batch. */
  const arrive = (change: Parameters<typeof changed>[1]) =>
    ledger.absorb({ ...noChanges(), settings: new Map([["governor", changed(governor.settings, change)]]) });
  return { governor, arrive, compiled, invalid };
}

test("another replica's change holds at once but for its patterns, which are compiled in turns with everybody else", async () => {
  const { governor, arrive, compiled } = aGovernor();
  const { filter, models } = governor.rules;
  let turns = 0;
  const count = () => {
    turns += 1;
    setImmediate(count);
  };
  const counting = setImmediate(count);
  arrive({
    contribute_suspended: true,
    contribute_deny_titles: costly(40, "t"),
    contribute_allow_models: costly(20, "m"),
  });
  expect(governor.rules).toMatchObject({ desk: { suspended: true }, filter, models });
  await compiled;
  clearImmediate(counting);
  expect(turns).toBeGreaterThan(5);
  expect(governor.rules.models.sources).toHaveLength(20);
  expect(governor.rules.filter({ repo: "a/b", title: "abcXY", author: "x", labels: [] })).toBe("title_filter");
});

test("of two changes that arrive one after the other, the patterns of the last one hold", async () => {
  const { governor, arrive, compiled } = aGovernor();
  const first = costly(20, "first");
  arrive({ contribute_deny_titles: first });
  void governor.rules;
  arrive({ contribute_deny_titles: [...costly(2, "second"), "only this"] });
  void governor.rules;
  await compiled;
  await expect.poll(() => first.every(isQuick)).toBe(true);
  await new Promise(setImmediate);
  const titled = (title: string) => governor.rules.filter({ repo: "a/b", title, author: "x", labels: [] });
  expect(titled("and only this")).toBe("title_filter");
  expect(governor.settings.contribute_deny_titles).toHaveLength(3);
});

test("wildcards, and expressions that were compiled before, hold at once", () => {
  const { governor, arrive } = aGovernor();
  arrive({ contribute_deny_titles: ["*wip*"] });
  expect(governor.rules.filter({ repo: "a/b", title: "a WIP!", author: "x", labels: [] })).toBe("title_filter");
});

test("patterns of a newer release that are none here leave those before in force, and end nothing", async () => {
  const { governor, arrive, compiled, invalid } = aGovernor();
  arrive({ contribute_deny_titles: ["*wip*"] });
  void governor.rules;
  arrive({ contribute_deny_titles: ["*wip*", " "], contribute_suspended: true });
  expect(governor.rules.desk.suspended).toBe(true);
  arrive({ contribute_deny_titles: ["/(?<later>syntax/"] });
  void governor.rules;
  await compiled;
  expect(invalid).toHaveLength(2);
  expect(governor.rules.filter({ repo: "a/b", title: "a WIP!", author: "x", labels: [] })).toBe("title_filter");
});
