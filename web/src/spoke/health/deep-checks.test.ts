import { expect, test } from "vitest";
import { readDeepChecks } from "./deep-checks.ts";

test("checks are shown as they come: what the page does not know is not said to be good", () => {
  const checks = {
    data_disk: { status: "ok", detail: "61 % full", used_percent: 61 },
    hub_heartbeat: { status: "degraded", reason: "refused", last_at: null },
    later_kind: { status: "superb" },
  };
  expect(readDeepChecks(JSON.stringify({ status: "degraded", checks }))).toEqual([
    { name: "data disk", status: "ok", isGood: true, detail: "61 % full · used percent: 61" },
    { name: "hub heartbeat", status: "degraded", isGood: false, detail: "refused" },
    { name: "later kind", status: "superb", isGood: false, detail: "" },
  ]);
});

test.each(["", "<html>", "[]", '{"status":"ok"}'])("%j has no checks, and none are made up", (text) => {
  expect(readDeepChecks(text)).toEqual([]);
});
