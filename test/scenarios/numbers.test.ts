import type { numbers, operations } from "@nest/protocol";
import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";
import { of } from "../harness/raw-relay.ts";

type Numbers = numbers.NumbersReply;
const HOUR = 3_600_000;

async function numbersOf(hub: TestHub, query = ""): Promise<Numbers> {
  const { status, body } = await hub.admin("GET", `/api/contribute/numbers${query}`);
  expect(status).toBe(200);
  return body as Numbers;
}

/** Has contributors of two backends complete, verify, fail and give back tasks. */
async function aDayOfWork(hub: TestHub): Promise<void> {
  const claude = await hub.relay("ada", { cli_backend: "claude" });
  const first = await claude.ready();
  hub.codeHost.setPullRequest({ repo: first.repo, number: 1001, author: "ada" });
  claude.send({
    type: "task_complete",
    ...of(first),
    result: "completed",
    pr_url: `https://github.com/${first.repo}/pull/1001`,
  });
  await claude.next("task_ack");
  const second = await claude.ready();
  claude.send({ type: "task_complete", ...of(second), result: "completed", verdict: "no_work_needed" });
  await claude.next("task_ack");
  const codex = await hub.relay("bob", { cli_backend: "codex" });
  const third = await codex.ready();
  await hub.clock.jump(HOUR);
  const again = await hub.relay("cyd", { cli_backend: "codex" });
  const fourth = await again.ready();
  again.send({ type: "task_failed", ...of(fourth), reason: "no disk", failure_kind: "environment" });
  await again.next("task_ack");
  expect(third.task_id).not.toBe(fourth.task_id);
  await hub.settled();
  // The task of bob's suspended machine runs out of time.
  await hub.clock.advance(10_000);
}

test("tasks are counted by hour, repository, contributor, backend and kind of failure, and waiting times are kept", async () => {
  await using hub = await TestHub.start({ issues: 9 });
  await aDayOfWork(hub);
  const all = await numbersOf(hub);
  expect(all.total).toMatchObject({ assigned: 4, completed: 1, no_work_needed: 1, verified: 1 });
  expect(all.total.failures).toMatchObject({ environment: 1 });
  expect(all.total.wait?.count).toBe(4);
  expect(all.points).toHaveLength(24);
  expect(all.points.filter(({ assigned }) => assigned > 0).map(({ assigned }) => assigned)).toEqual([3, 1]);
  expect(all.backends.map(({ backend, assigned }) => [backend, assigned]).sort()).toEqual([
    ["claude", 2],
    ["codex", 2],
  ]);
  expect(all.repositories).toMatchObject([{ repo: "acme/one", assigned: 4 }]);
  expect(all.contributors.map(({ github_username: login, assigned }) => [login, assigned]).sort()).toEqual([
    ["ada", 2],
    ["bob", 1],
    ["cyd", 1],
  ]);
  expect((await numbersOf(hub, "?contributor=Ada")).total).toMatchObject({ assigned: 2, completed: 1, failed: 0 });
  expect((await numbersOf(hub, "?contributor=ada&repo=ACME/one")).total).toMatchObject({ assigned: 2, verified: 1 });
  expect((await numbersOf(hub, "?backend=codex&window=90d")).total).toMatchObject({ assigned: 2, completed: 0 });
  expect((await numbersOf(hub, "?contributor=nobody")).total).toMatchObject({ assigned: 0 });
  expect(all.usage).toBe("not reported");
});

test("every page counts the same, also after a restart, and months later by the day", async () => {
  await using hub = await TestHub.start({ issues: 9 });
  await aDayOfWork(hub);
  for (const act of [
    async () => {},
    () => hub.restart(),
    () => hub.clock.jump(3 * 24 * HOUR).then(() => hub.restart()),
  ]) {
    await act();
    const { total } = await numbersOf(hub, "?window=7d");
    const { week } = (await hub.call("GET", "/api/contribute/metrics")).body as { week: operations.Done };
    const { assigned, completed, no_work_needed, blocked, verified, failed } = total;
    expect({ assigned, completed, no_work_needed, blocked, verified, failed }).toEqual(week);
    const board = (await hub.call("GET", "/api/leaderboard?window=week")).body as {
      leaderboard: { github_username: string; tasks_verified: number }[];
    };
    expect(board.leaderboard.find(({ github_username: login }) => login === "ada")?.tasks_verified).toBe(verified);
  }
  const month = await numbersOf(hub, "?window=30d");
  expect(month.points).toHaveLength(30);
  expect(month.total).toEqual((await numbersOf(hub, "?window=7d")).total);
  expect(month.complete).toBe(true);
});

test("tasks of before the update are counted on the first start", async () => {
  await using hub = await TestHub.start({ issues: 9 });
  await aDayOfWork(hub);
  const before = await numbersOf(hub, "?window=7d");
  await hub.hub.stop();
  await hub.sql(
    "delete from task_counts_hourly",
    "delete from counters where name = 'counted_hours'",
    "update counted_pull_requests set in_counts = null",
  );
  await hub.boot();
  expect((await numbersOf(hub, "?window=7d")).total).toEqual(before.total);
});

test("the length of the queue is measured every minute, in all and by repository", async () => {
  await using hub = await TestHub.start({ issues: 9 });
  for (let minute = 0; minute < 3; minute += 1) await hub.clock.advance(60_000);
  const { points } = await numbersOf(hub, "?repo=acme/one");
  const measured = points.flatMap(({ queue }) => queue ?? []);
  expect(measured.length).toBeGreaterThan(0);
  for (const { ready, ready_most, withheld } of measured) expect([ready, ready_most, withheld]).toEqual([9, 9, 0]);
  expect((await numbersOf(hub, "?repo=acme/other")).points.every(({ queue }) => queue === undefined)).toBe(true);
});

test("numbers that name every repository are for admins", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  expect(await hub.call("GET", "/api/contribute/numbers")).toMatchObject({ status: 401 });
});
