import { durations } from "@nest/protocol";
import { expect, test } from "vitest";
import { bookFailure } from "../leases/cooldown.ts";
import { HOLD_PREFIX, Ledger } from "../leases/ledger.ts";
import { pauseSettingOf } from "../leases/pause.ts";
import { compileFilters } from "./filters.ts";
import { Queue } from "./queue.ts";

const KEY = "a/x#1";
const ISSUE = {
  repo: "A/x",
  number: 1,
  title: "WIP",
  body: "",
  url: "",
  author: "someone",
  labels: ["bug"],
  updatedAt: 0,
};
const WAITS = { note: "CI is broken", until: 100, by: "boss", at: 0 };

function aScene() {
  const past = { assignedAt: () => undefined, isCounted: () => false };
  const rows = { leases: [], items: [], contributors: [], gen: 0, activityId: 0, settings: new Map() };
  const ledger = new Ledger(rows, past);
  const queue = new Queue({ ledger, times: durations });
  queue.setIssues("A/x", [ISSUE], 0);
  const told = (now = 0) => {
    queue.touch(ledger.touched(), now);
    const held = queue
      .judgements(KEY, now)
      .flatMap(({ withheld }) => (withheld === undefined ? [] : [withheld.reason]));
    return { reason: queue.entry(KEY)?.withheld?.reason, held };
  };
  return { ledger, queue, told };
}

const acts = {
  repo_paused: ({ ledger }: ReturnType<typeof aScene>) =>
    ledger.putSetting(pauseSettingOf({ kind: "repository", repo: "a/X" }), WAITS),
  operator_hold: ({ ledger }: ReturnType<typeof aScene>) =>
    ledger.putSetting(HOLD_PREFIX + KEY, { reason: "", by: "boss", at: 0, until: 100 }),
  claimed: ({ queue }: ReturnType<typeof aScene>) =>
    queue.setClaims(new Map([[KEY, { pullRequestUrl: "https://code.test/a/x/pull/2", until: 100 }]]), 0),
  failed: ({ ledger }: ReturnType<typeof aScene>) =>
    ledger.changeItem(KEY, (item) => bookFailure(item, false, durations, 0)),
} as const;
const names = Object.keys(acts) as (keyof typeof acts)[];

test.each(names.map((_, from) => names.slice(from)))(
  "of all that hold an issue back the first is the reason that is told, and all are judged (from %s)",
  (...held) => {
    const scene = aScene();
    for (const name of held) acts[name](scene);
    expect(scene.told()).toEqual({ reason: held[0], held });
  },
);

test("filters are judged before all else, each with its setting, its value, and the pattern that matched", () => {
  const scene = aScene();
  const off = { disabled_repos: [], contribute_deny_labels: [], contribute_deny_authors: [] };
  const titles = { contribute_deny_titles: ["draft", "wip"] };
  scene.queue.setFilter(compileFilters({ ...off, ...titles, contribute_labels_mode: "deny" }), 0);
  acts.repo_paused(scene);
  expect(scene.told()).toEqual({ reason: "title_filter", held: ["title_filter", "repo_paused"] });
  expect(scene.queue.judgements(KEY, 0).slice(0, 3)).toEqual([
    { rule: "repo_disabled", withheld: undefined, setting: { name: "disabled_repos", value: [], isOn: false } },
    {
      rule: "label_filter",
      withheld: undefined,
      setting: { name: "contribute_deny_labels", value: { mode: "deny", patterns: [] }, isOn: false },
    },
    {
      rule: "title_filter",
      withheld: { reason: "title_filter", until: undefined, detail: "wip" },
      setting: { name: "contribute_deny_titles", value: { mode: "deny", patterns: ["draft", "wip"] }, isOn: true },
    },
  ]);
});

test.each(["repo_paused", "operator_hold"] as const)("%s ends by itself at its end", (name) => {
  const scene = aScene();
  acts[name](scene);
  expect(scene.told(99).reason).toBe(name);
  scene.queue.wake(100);
  expect(scene.told(100)).toEqual({ reason: undefined, held: [] });
  expect(scene.queue.placeOf(KEY)).toBe(1);
});

test("the pause of a repository is no pause of another one, and its end brings every issue back in order", () => {
  const { ledger, queue } = aScene();
  queue.setIssues(
    "a/y",
    [3, 1, 2].map((number) => ({ ...ISSUE, repo: "a/y", number })),
    0,
  );
  const name = pauseSettingOf({ kind: "repository", repo: "a/y" });
  ledger.putSetting(name, WAITS);
  queue.touch(ledger.touched(), 0);
  expect(queue.inOrder().map(({ key }) => key)).toEqual([KEY]);
  expect(queue.withheldCounts()).toEqual({ repo_paused: 3 });
  ledger.putSetting(name, undefined);
  queue.touch(ledger.touched(), 0);
  expect(queue.actionableIn("a/y")).toBe(3);
  expect(queue.inOrder().flatMap(({ repo, number }) => (repo === "a/y" ? [number] : []))).toEqual([1, 2, 3]);
  expect(queue.withheldCounts()).toEqual({});
});

test("an issue that is not known has no judgements and no place", () => {
  const { queue } = aScene();
  expect(queue.judgements("a/x#2", 0)).toEqual([]);
  expect(queue.placeOf("a/x#2")).toBeUndefined();
});
