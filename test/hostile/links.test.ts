import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";

// Addresses that strangers send reach people's browsers only when they lead to the code host, or plainly to a web page.
const HEARTBEAT = { authorization: "Bearer heartbeat-secret-of-the-tests" };

test.each(["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//evil.example", "x", ""])(
  "a spoke that says its dashboard is at %j is listed without it",
  async (address) => {
    await using hub = await TestHub.start();
    const beat = { nest_id: "nest-1", is_public: true, dashboard_url: address };
    expect((await hub.call("POST", "/api/heartbeat", beat, HEARTBEAT)).status).toBe(200);
    const { nests } = (await hub.call("GET", "/api/registry")).body as { nests: object[] };
    expect(nests).toEqual([expect.not.objectContaining({ dashboardUrl: expect.anything() })]);
  },
);

test("a spoke's web address is passed on", async () => {
  await using hub = await TestHub.start();
  const beat = { nest_id: "nest-1", is_public: true, dashboard_url: "https://nest.example.org/" };
  await hub.call("POST", "/api/heartbeat", beat, HEARTBEAT);
  expect(JSON.stringify((await hub.call("GET", "/api/registry")).body)).toContain("https://nest.example.org/");
});

test.each([
  "https://evil.example/acme/one/pull/7",
  "https://github.com.evil.example/acme/one/pull/7",
  "https://github.com@evil.example/acme/one/pull/7",
  "javascript:alert(1)//github.com/acme/one/pull/7",
])("a relay that reports the pull request %s puts no such link before anybody", async (address) => {
  await using hub = await TestHub.start();
  const relay = await hub.relay("mallory");
  const task = await relay.ready();
  const names = { task_id: task.task_id, task_gen: task.task_gen };
  relay.send({ type: "task_accepted", ...names });
  relay.send({ type: "task_complete", ...names, result: "completed", pr_url: address });
  await relay.next("task_ack");
  for (const path of ["/api/contribute/activity", "/contribute", "/api/contribute/fleet", "/api/leaderboard"])
    expect(JSON.stringify((await hub.call("GET", path)).body), path).not.toContain("evil");
  const { activity } = (await hub.call("GET", "/api/contribute/activity")).body as { activity: { url?: string }[] };
  for (const { url } of activity) expect(url ?? "https://github.com/").toMatch(/^https:\/\/github\.com\//);
});
