import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";

const DAY = 24 * 3_600_000;

interface Board {
  readonly leaderboard: { github_username: string; rank: number; tasks_verified: number; tasks_completed: number }[];
  readonly agents: { github_username: string }[];
}

/** Has a contributor complete one task, with a pull request that the code host confirms or without any. */
async function complete(hub: TestHub, login: string, withPullRequest: boolean): Promise<void> {
  const relay = await hub.relay(login).catch(() => undefined);
  if (relay === undefined) throw new Error("no relay");
  const task = await relay.ready();
  const number = 1000 + task.number;
  if (withPullRequest) hub.codeHost.setPullRequest({ repo: task.repo, number, author: login });
  relay.send({
    type: "task_complete",
    task_id: task.task_id,
    task_gen: task.task_gen,
    result: "completed",
    ...(withPullRequest ? { pr_url: `https://github.com/${task.repo}/pull/${number}` } : {}),
  });
  await relay.next("task_ack");
  await relay.drop();
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function board(hub: TestHub, window = "all"): Promise<Board> {
  return (await hub.call("GET", `/api/leaderboard?window=${window}`)).body as Board;
}

test("verified work comes first, bots stand apart, revoked contributors are hidden", async () => {
  await using hub = await TestHub.start({ issues: 9 });
  await complete(hub, "talker", false);
  await complete(hub, "worker", true);
  await complete(hub, "gone", true);
  await complete(hub, "helper[bot]", true);
  await hub.register("idle");
  await hub.admin("POST", "/api/contributors/gone/revoke");
  const { leaderboard, agents } = await board(hub);
  expect(leaderboard).toMatchObject([
    { rank: 1, github_username: "worker", tasks_verified: 1, tasks_completed: 1 },
    { rank: 2, github_username: "talker", tasks_verified: 0, tasks_completed: 1 },
  ]);
  expect(agents.map(({ github_username: login }) => login)).toEqual(["helper[bot]"]);
  const page = (await hub.call("GET", "/leaderboard")).body as string;
  expect(page.indexOf("worker")).toBeLessThan(page.indexOf("talker"));
  expect(page).not.toContain("gone");
});

test("week, month and all count what was done in that time, after a restart too", async () => {
  await using hub = await TestHub.start({ issues: 9 });
  await complete(hub, "early", true);
  await hub.clock.jump(10 * DAY);
  await complete(hub, "late", true);
  const names = async (window: string) =>
    (await board(hub, window)).leaderboard.map(({ github_username: login }) => login).sort();
  for (const restart of [false, true]) {
    if (restart) await hub.restart();
    expect(await names("week")).toEqual(["late"]);
    expect(await names("month")).toEqual(["early", "late"]);
    expect(await names("all")).toEqual(["early", "late"]);
  }
  await hub.clock.jump(40 * DAY);
  expect(await names("month")).toEqual([]);
  expect((await hub.call("GET", "/api/leaderboard?window=year")).status).toBe(400);
});

test("the charts tell what was done in each of the last 168 hours", async () => {
  await using hub = await TestHub.start({ issues: 9 });
  await complete(hub, "worker", true);
  await hub.settled();
  const { hours } = (await hub.call("GET", "/api/contribute/metrics")).body as { hours: Record<string, number>[] };
  expect(hours).toHaveLength(168);
  expect(hours.at(-1)).toMatchObject({ assigned: 1, completed: 1, verified: 1, failed: 0 });
});

test("a task that ended is completed, blocked, without work or failed, and counted the same after a restart", async () => {
  await using hub = await TestHub.start({ issues: 9 });
  for (const [nth, verdict] of ["idle", "blocked", "no_work_needed"].entries()) {
    const relay = await hub.relay(`worker-${nth}`);
    const { task_id, task_gen } = await relay.ready();
    relay.send({ type: "task_complete", task_id, task_gen, result: "completed", verdict });
    await relay.next("task_ack");
    await relay.drop();
  }
  await hub.settled();
  const day = async () => ((await hub.call("GET", "/api/contribute/metrics")).body as { day: object }).day;
  for (const restart of [false, true]) {
    if (restart) await hub.restart();
    expect(await day()).toEqual({ assigned: 3, completed: 1, no_work_needed: 1, blocked: 1, verified: 0, failed: 0 });
    expect((await hub.call("GET", "/api/contribute/status")).body).toMatchObject({ completed_day: 1 });
  }
});

test("a custom stylesheet is fetched through the code host, cleaned and confined to the leaderboard", async () => {
  await using hub = await TestHub.start();
  hub.codeHost.files.set(
    "acme/site/board.css@main",
    "@import 'https://evil.example/a.css'; .name { color: red; background: url(https://evil.example/x.png) }",
  );
  const answer = await hub.call("GET", "/api/leaderboard/style?src=acme/site/board.css@main");
  expect(answer.headers.get("content-type")).toContain("text/css");
  expect(answer.headers.get("x-nest-style-dropped")).toBe("2");
  expect(answer.body).toBe("#leaderboard .name{color:red}");
  const page = await hub.call("GET", "/leaderboard?style=acme/site/board.css@main");
  expect(page.body).toContain("/api/leaderboard/style?src=acme%2Fsite%2Fboard.css%40main");
  const report = await hub.call("GET", "/api/leaderboard/style?src=acme/site/board.css@main&report=1");
  expect(report.body).toMatchObject({ dropped: 2, reasons: expect.arrayContaining(["@import"]) });
});

test.each([
  ["https://evil.example/x.css", 400],
  ["//evil.example/x.css", 400],
  ["acme/site/../../other/x.css@main", 400],
  ["acme/site/board.js@main", 400],
  ["acme/site/board.css@../main", 400],
  ["acme/site/absent.css@main", 404],
  ["acme/vault/board.css@main", 404],
  ["acme/site/large.css@main", 413],
])("the stylesheet %s is refused with %i", async (src, status) => {
  await using hub = await TestHub.start();
  hub.codeHost.privateRepositories.add("acme/vault");
  hub.codeHost.files.set("acme/vault/board.css@main", ".a { color: red }");
  hub.codeHost.files.set("acme/site/large.css@main", `.a { color: red }${" ".repeat(10 * 1024 * 1024)}`);
  expect((await hub.call("GET", `/api/leaderboard/style?src=${encodeURIComponent(src)}`)).status).toBe(status);
});
