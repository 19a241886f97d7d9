import { expect, test } from "vitest";
import { RelayHere } from "./testing/relay-here.ts";
import { aTask, ScriptedHub } from "./testing/scripted-hub.ts";

test("a task is accepted, done and reported with its pull request, and the next one is asked for", async () => {
  const hub = await ScriptedHub.start();
  await using relay = await RelayHere.make();
  relay.start({ NEST_HUB: hub.address });
  const visit = await hub.visit();
  await visit.next("ready");
  visit.say(aTask());
  expect(await visit.next("task_accepted")).toMatchObject({ task_id: "ct-acme/web-12-9f86d081", task_gen: 41 });
  expect(await visit.next("task_complete")).toMatchObject({
    task_gen: 41,
    result: "completed",
    verdict: "shipped",
    pr_url: "https://github.com/acme/web/pull/13",
  });
  await visit.next("ready");
  await hub.stop();
});
