import { NestError } from "@nest/kit";
import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";
import { of, RawRelay } from "../harness/raw-relay.ts";

const HOUR = 3_600_000;

test("an open pull request with a closing keyword, by any author, claims an issue for 72 hours, refreshed while it is open", async () => {
  await using hub = await TestHub.start({ issues: 3 });
  hub.codeHost.setPullRequest({
    repo: "acme/one",
    number: 10,
    body: "This resolves: #2",
    author: "stranger",
    updatedAt: hub.clock.now(),
  });
  await hub.hub.monitor.refresh();
  expect(hub.withheld(2)).toBe("claimed");
  expect(await hub.actionable()).toBe(2);
  await hub.clock.jump(71 * HOUR);
  hub.codeHost.setPullRequest({
    repo: "acme/one",
    number: 10,
    body: "This resolves: #2",
    author: "stranger",
    updatedAt: hub.clock.now(),
  });
  await hub.hub.monitor.refresh();
  await hub.clock.jump(71 * HOUR);
  expect(hub.withheld(2)).toBe("claimed");
});

test("a claim ends when its pull request is closed unmerged; a merged one lives out its time", async () => {
  await using hub = await TestHub.start({ issues: 3 });
  const now = hub.clock.now();
  hub.codeHost.setPullRequest({ repo: "acme/one", number: 10, body: "fixes #1", updatedAt: now });
  hub.codeHost.setPullRequest({ repo: "acme/one", number: 11, body: "fixes #2", updatedAt: now });
  await hub.hub.monitor.refresh();
  expect([1, 2].map((number) => hub.withheld(number))).toEqual(["claimed", "claimed"]);
  hub.codeHost.setPullRequest({ repo: "acme/one", number: 10, body: "fixes #1", state: "closed", updatedAt: now });
  hub.codeHost.setPullRequest({
    repo: "acme/one",
    number: 11,
    body: "fixes #2",
    state: "closed",
    merged: true,
    mergedAt: now,
    updatedAt: now,
  });
  await hub.hub.monitor.refresh();
  expect([1, 2].map((number) => hub.withheld(number))).toEqual([undefined, "claimed"]);
  await hub.clock.jump(72 * HOUR);
  expect(hub.withheld(2)).toBeUndefined();
});

test("a claim ends when its pull request is red on a required check and stale", async () => {
  await using hub = await TestHub.start({ issues: 3 });
  const old = hub.clock.now() - 72 * HOUR;
  hub.codeHost.setPullRequest({ repo: "acme/one", number: 10, body: "fixes #1", updatedAt: old, headSha: "red" });
  hub.codeHost.setPullRequest({
    repo: "acme/one",
    number: 11,
    body: "fixes #2",
    updatedAt: hub.clock.now(),
    headSha: "red",
  });
  hub.codeHost.setPullRequest({ repo: "acme/one", number: 12, body: "fixes #3", updatedAt: old, headSha: "green" });
  hub.codeHost.checks.set("red", "red");
  hub.codeHost.checks.set("green", "green");
  await hub.hub.monitor.refresh();
  expect([1, 2, 3].map((number) => hub.withheld(number))).toEqual([undefined, "claimed", "claimed"]);
});

test("a scan that fails frees no claim and changes no issue", async () => {
  await using hub = await TestHub.start({ issues: 3 });
  hub.codeHost.setPullRequest({ repo: "acme/one", number: 10, body: "fixes #1", updatedAt: hub.clock.now() });
  await hub.hub.monitor.refresh();
  hub.codeHost.failure = new NestError("codehost_unreachable", "the code host answered 500");
  hub.codeHost.setPullRequest({ repo: "acme/one", number: 10, body: "fixes #1", state: "closed" });
  const answer = await hub.admin("POST", "/api/contribute/queue/refresh");
  expect(answer.body).toMatchObject({ failed: ["acme/one: the code host answered 500"], actionable_items: 2 });
  expect(hub.withheld(1)).toBe("claimed");
  const { repositories } = (await hub.call("GET", "/api/contribute/status")).body as { repositories: object[] };
  expect(repositories).toEqual([
    { repo: "acme/one", state: "failing", issues: 3, error: "the code host answered 500" },
  ]);
});

test("nothing is handed out before one complete scan succeeded", async () => {
  await using hub = await TestHub.start({ issues: 3 });
  await hub.hub.stop();
  hub.codeHost.failure = new NestError("codehost_unreachable", "nothing answers");
  await hub.boot();
  const relay = await hub.relay("ada");
  expect((await relay.refused()).reason).toBe("hub_not_ready");
  hub.codeHost.failure = undefined;
  await hub.hub.monitor.refresh();
  await relay.ready();
});

test("repositories take turns: a backlog of hundreds does not starve one issue elsewhere", async () => {
  await using hub = await TestHub.start({ issues: 300, config: { repos: ["acme/one", "acme/two"] } });
  hub.codeHost.setIssue({ repo: "acme/two", number: 1 });
  await hub.hub.monitor.refresh();
  const served = [];
  for (const login of ["ada", "bob", "cyd"]) served.push((await (await hub.relay(login)).ready()).repo);
  expect(served).toContain("acme/two");
});

test("a pull request counts once, when the code host confirms repository and author; five make a contributor", async () => {
  await using hub = await TestHub.start({
    issues: 20,
    contribute: { tier_limits: { newcomer: { max_per_hour: 0, max_per_day: 0 } } },
  });
  const relay = await hub.relay("Ada");
  const finish = async (pull: { number: number; author?: string; repo?: string; missing?: boolean }) => {
    const task = await relay.ready();
    const repo = pull.repo ?? "acme/one";
    if (pull.missing !== true)
      hub.codeHost.setPullRequest({
        repo,
        number: pull.number,
        author: pull.author ?? "ada",
        body: `fixes #${task.number}`,
      });
    relay.send({ type: "task_accepted", ...of(task) });
    relay.send({
      type: "task_complete",
      ...of(task),
      result: "completed",
      verdict: "shipped",
      pr_url: `https://github.com/${repo}/pull/${pull.number}/files`,
    });
    await relay.next("task_ack");
    await expect.poll(() => hub.withheld(task.number)).not.toBe("verifying");
    return hub.hub.ledger.item(`acme/one#${task.number}`)?.holdReason;
  };
  expect(await finish({ number: 500, author: "somebody-else" })).toBe("completed_without_pull_request");
  expect(await finish({ number: 501, repo: "acme/elsewhere" })).toBe("completed_without_pull_request");
  expect(await finish({ number: 502, missing: true })).toBe("completed_without_pull_request");
  for (const number of [510, 511, 512, 513]) expect(await finish({ number })).toBe("completed");
  expect(await finish({ number: 513 })).toBe("completed");
  expect(hub.hub.ledger.contributor(relay.contributorId)).toMatchObject({
    verified: 4,
    tier: "newcomer",
    completed: 8,
  });
  await finish({ number: 514 });
  expect(hub.hub.ledger.contributor(relay.contributorId)).toMatchObject({ verified: 5, tier: "contributor" });
  const { activity } = (await hub.call("GET", "/api/contribute/activity?limit=3")).body as {
    activity: { action: string; detail?: string }[];
  };
  expect(activity).toContainEqual(expect.objectContaining({ action: "promoted", detail: "contributor" }));
});

test("a verification that a restart interrupts is finished after it", async () => {
  await using hub = await TestHub.start({ issues: 2 });
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  hub.codeHost.setPullRequest({ repo: "acme/one", number: 9, author: "ada", body: "" });
  hub.codeHost.failure = new NestError("codehost_unreachable", "nothing answers");
  relay.send({ type: "task_complete", ...of(task), result: "completed", pr_url: "https://github.com/acme/one/pull/9" });
  await relay.next("task_ack");
  expect(hub.withheld(task.number)).toBe("verifying");
  await hub.restart();
  hub.codeHost.failure = undefined;
  await hub.restart();
  await expect.poll(() => hub.hub.ledger.contributor(relay.contributorId)?.verified).toBe(1);
});

test("with an app, the task's token follows acceptance, is narrowed, renewed, given again on resume, and taken back at the end", async () => {
  await using hub = await TestHub.start({ issues: 2, kind: "app" });
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  expect(await relay.pending("token_refresh")).toEqual([]);
  relay.send({ type: "task_accepted", ...of(task) });
  const first = await relay.next("token_refresh");
  expect(hub.codeHost.credentials.get(first.github_token)).toEqual({
    repo: "acme/one",
    permissions: { metadata: "read", issues: "write" },
  });
  for (let nth = 0; nth < 3; nth += 1) {
    relay.send({ type: "task_progress", ...of(task) });
    await relay.pending();
    await hub.clock.advance(17 * 60_000);
  }
  const second = await relay.next("token_refresh");
  expect(second.github_token).not.toBe(first.github_token);
  await relay.drop();
  const back = await RawRelay.join(hub.socket, relay.token);
  back.send({ type: "task_progress", ...of(task), repo: task.repo, number: task.number });
  const third = await back.next("token_refresh");
  back.send({ type: "task_complete", ...of(task), result: "completed" });
  await back.next("task_ack");
  await expect.poll(() => hub.codeHost.credentials.has(third.github_token)).toBe(false);
});

test("with a personal token no credential leaves the hub", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const relay = await hub.relay("ada");
  relay.send({ type: "task_accepted", ...of(await relay.ready()) });
  expect(await relay.pending("token_refresh")).toEqual([]);
});

test("suspended: ready is answered with the reason, a resume is refused with the exact text and released uncounted", async () => {
  await using hub = await TestHub.start({ issues: 2, contribute: { contribute_suspended: true } });
  const relay = await hub.relay("ada");
  expect((await relay.refused()).reason).toBe("contribution_suspended");
});
