import { expect, test } from "vitest";
import { activityActions, describeActivity } from "./activity.ts";

const PULL = "https://code.test/acme/site/pull/12";
const ISSUE = "https://code.test/acme/site/issues/3";

test("every action has words of its own, a tone, and says its detail exactly once", () => {
  const seen = new Set<string>();
  for (const action of activityActions) {
    const told = describeActivity({ action, detail: "because of this", url: ISSUE });
    const said = [told.before, told.after, told.detail].filter(Boolean).join(" ");
    expect(said.split("because of this"), action).toHaveLength(2);
    expect(["start", "good", "bad", "neutral"], action).toContain(told.tone);
    expect(told.before, action).not.toBe(action);
    seen.add(`${told.before} ${told.after}`);
  }
  expect(seen.size).toBe(activityActions.length);
});

// "resumed" and "completed" would read as their names only by mistake; these are the ones a stranger gets wrong.
test.each([
  ["completed", PULL, "good", "opened a pull request for", ""],
  ["completed", ISSUE, "good", "finished", ""],
  ["completed: no_work_needed", ISSUE, "neutral", "found nothing left to do on", ""],
  ["completed: blocked", ISSUE, "bad", "was blocked on", ""],
  ["yanked by operator", ISSUE, "neutral", "had", "taken back by an operator"],
  ["released: gave the task back", ISSUE, "neutral", "gave back", ""],
])("%s of %s is %s: %s … %s", (action, url, tone, before, after) => {
  expect(describeActivity({ action, url })).toMatchObject({ tone, before, after });
});

test("only a task that succeeded counts as done", () => {
  expect(activityActions.filter((action) => describeActivity({ action }).isDone)).toEqual(["completed"]);
});

test("an entry leads to its pull request, and not to an issue", () => {
  expect(describeActivity({ action: "pull request verified", url: PULL }).pullRequest).toBe(PULL);
  expect(describeActivity({ action: "failed", url: ISSUE }).pullRequest).toBeUndefined();
});

test("an entry about a repository that the reader may not see does not name it", () => {
  expect(describeActivity({ action: "picked up", private: true }).about).toBe("something in a private repository");
});

test("an empty detail counts as no detail", () => {
  expect(describeActivity({ action: "failed", detail: "  " }).detail).toBeUndefined();
  expect(describeActivity({ action: "promoted", detail: "" }).before).toBe("was promoted to a higher tier");
});

test.each(["constructor", "toString", "an action of next year"])(
  "%s, which is no action of this release, reads as it came and is neutral",
  (action) => {
    expect(describeActivity({ action, detail: "why" })).toEqual({
      tone: "neutral",
      before: action,
      about: undefined,
      after: "",
      detail: "why",
      pullRequest: undefined,
      isDone: false,
    });
  },
);
