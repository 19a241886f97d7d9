import { describeNestActivity, nestActivityActions, notificationEventOf } from "@nest/protocol";
import { expect, test } from "vitest";

test.each([
  "run was blocked",
  "run stood still",
  "run went round in a loop",
  "run took too long",
  "run could not start",
  "run failed",
])("people can be notified of a run that needs them: %s", (action) => {
  expect(notificationEventOf(action)).toBe("run_failed");
});

test.each(["backup taken", "backup failed", "backup key saved", "backup key removed", "backup key settings changed"])(
  "people can be notified of backups: %s",
  (action) => {
    expect(notificationEventOf(action)).toBe("backup");
  },
);

test("nothing bad happens on a nest of which nobody can be notified", () => {
  const bad = nestActivityActions.filter((action) => describeNestActivity(action).tone === "bad");
  expect(bad.filter((action) => notificationEventOf(action) === undefined)).toEqual([]);
});
