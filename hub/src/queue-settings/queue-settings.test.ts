import { isBuilt, Ledger, noChanges, PatternJudge } from "@nest/dispatch";
import { governor } from "@nest/protocol";
import { afterAll, expect, test } from "vitest";
import { QueueSettings } from "./queue-settings.ts";
import { changed } from "./settings.ts";

/** Expressions that nobody compiled before; some milliseconds each. */
function costly(count: number, mark: string): string[] {
  return Array.from({ length: count }, (_, at) => `/(?:\\pL{3}|\\pN|${mark}${at})+[B-\u{4fff}]{2}/`);
}

const judges: PatternJudge[] = [];
afterAll(() => Promise.all(judges.map((judge) => judge.close())));

async function someSettings() {
  const judge = new PatternJudge();
  judges.push(judge);
  const past = { assignedAt: () => undefined, isCounted: () => false };
  const rows = { leases: [], items: [], contributors: [], gen: 0, activityId: 0, settings: new Map() };
  const ledger = new Ledger(rows, past);
  const { promise: compiled, resolve: onCompiled } = Promise.withResolvers<void>();
  const invalid: unknown[] = [];
  const onInvalid = (because: unknown) => invalid.push(because);
  const queueSettings = await QueueSettings.open({ ledger, first: governor.defaultSettings, judge, onInvalid });
  queueSettings.whenCompiled(onCompiled);
  /** Another replica's change arrives with its batch. */
  const arrive = (change: Parameters<typeof changed>[1]) =>
    ledger.applyRemote({ ...noChanges(), settings: new Map([["governor", changed(queueSettings.settings, change)]]) });
  /** What the filters in force say of a title, once its expressions have been matched with it. */
  const titled = async (title: string) => {
    const { filter } = queueSettings.rules;
    const issue = { repo: "a/b", title, author: "x", labels: [] };
    await filter.judge?.([issue]);
    return filter(issue);
  };
  return { queueSettings, arrive, compiled, invalid, judge, titled };
}

test("another replica's change holds at once but for its patterns, which are compiled in turns with everybody else", async () => {
  const { queueSettings, arrive, compiled, titled } = await someSettings();
  const { filter, models } = queueSettings.rules;
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
  expect(queueSettings.rules).toMatchObject({ decider: { suspended: true }, filter, models });
  await compiled;
  clearImmediate(counting);
  expect(turns).toBeGreaterThan(5);
  expect(queueSettings.rules.models.sources).toHaveLength(20);
  expect(await titled("abcXY")).toBe("title_filter");
});

test("of two changes that arrive one after the other, the patterns of the last one hold", async () => {
  const { queueSettings, arrive, compiled, titled, judge } = await someSettings();
  const first = costly(20, "first");
  arrive({ contribute_deny_titles: first });
  void queueSettings.rules;
  arrive({ contribute_deny_titles: [...costly(2, "second"), "only this"] });
  void queueSettings.rules;
  await compiled;
  await expect.poll(() => isBuilt(first, judge)).toBe(true);
  await new Promise(setImmediate);
  expect(await titled("and only this")).toBe("title_filter");
  expect(queueSettings.settings.contribute_deny_titles).toHaveLength(3);
});

test("wildcards, and expressions that were compiled before, hold at once", async () => {
  const { arrive, titled } = await someSettings();
  arrive({ contribute_deny_titles: ["*wip*"] });
  expect(await titled("a WIP!")).toBe("title_filter");
});

test("patterns of a newer release that are none here leave those before in force, and end nothing", async () => {
  const { queueSettings, arrive, compiled, invalid, titled } = await someSettings();
  arrive({ contribute_deny_titles: ["*wip*"] });
  void queueSettings.rules;
  arrive({ contribute_deny_titles: ["*wip*", " "], contribute_suspended: true });
  expect(queueSettings.rules.decider.suspended).toBe(true);
  arrive({ contribute_deny_titles: ["/(?<later>syntax/"] });
  void queueSettings.rules;
  await compiled;
  expect(invalid).toHaveLength(2);
  expect(await titled("a WIP!")).toBe("title_filter");
});

test("dashboards, epics and bots are excluded by default", async () => {
  const { filter } = (await someSettings()).queueSettings.rules;
  const issue = { repo: "meadow/tide-clock", title: "Clock runs late", author: "ada", labels: [] };
  expect(filter(issue)).toBeUndefined();
  expect(filter({ ...issue, title: "Renovate Dashboard 🤖" })).toBe("title_filter");
  expect(filter({ ...issue, title: "Epic: the great rewrite" })).toBe("title_filter");
  expect(filter({ ...issue, author: "Dependabot[bot]" })).toBe("author_filter");
});
