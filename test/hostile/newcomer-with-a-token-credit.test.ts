import { NestError } from "@nest/kit";
import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";
import { of, type RawRelay } from "../harness/raw-relay.ts";

// A newcomer wants a higher tier, and with it a token that writes code, without having done the work.

const MINUTE = 60_000;
const UNLIMITED = { tier_limits: { newcomer: { max_per_hour: 0, max_per_day: 0 } } };

interface Assigned {
  readonly task_id: string;
  readonly task_gen: number;
  readonly number: number;
}

/** Completes a task and names a pull request for it; answers with what the issue is held for once that was looked at. */
async function name(hub: TestHub, relay: RawRelay, task: Assigned, prUrl: string): Promise<string | undefined> {
  relay.send({ type: "task_accepted", ...of(task) });
  relay.send({ type: "task_complete", ...of(task), result: "completed", verdict: "shipped", pr_url: prUrl });
  await relay.next("task_ack");
  await expect.poll(() => hub.withheld(task.number)).not.toBe("verifying");
  return hub.hub.ledger.item(`acme/one#${task.number}`)?.holdReason;
}

const CREDITED = "completed";
const NOT_CREDITED = "completed_without_pull_request";

test("one pull request counts once, however its address is spelled, before and after a restart", async () => {
  await using hub = await TestHub.start({ issues: 20, contribute: UNLIMITED });
  let relay = await hub.relay("mallory");
  hub.codeHost.setPullRequest({ repo: "acme/one", number: 2000, author: "mallory" });
  const spellings = [
    "https://github.com/acme/one/pull/2000",
    "https://github.com/acme/one/pull/2000/files",
    "https://github.com/acme/one/pull/2000/commits",
    "https://github.com/acme/one/pull/2000?a=1",
    "https://github.com/acme/one/pull/2000#x",
    "https://github.com/ACME/One/pull/2000",
    "https://GitHub.com:443/acme/one/pull/2000/",
  ];
  for (const [at, spelling] of spellings.entries()) {
    if (at === 4) {
      await hub.restart();
      const { body } = await hub.call("POST", "/api/contribute/register", { github_username: `other-${at}` });
      relay = await hub.relay("accomplice");
      expect(body).toHaveProperty("contributor_id");
    }
    await name(hub, relay, await relay.ready(), spelling);
  }
  expect(hub.hub.ledger.contributorByLogin("mallory")).toMatchObject({ verified: 1, tier: "newcomer" });
  expect(hub.hub.ledger.contributorByLogin("accomplice")).toMatchObject({ verified: 0, tier: "newcomer" });
  const { history } = (await hub.admin("GET", "/api/contributors/mallory")).body as { history: { pr_url: string }[] };
  expect(new Set(history.map(({ pr_url: url }) => url))).toEqual(new Set(["https://github.com/acme/one/pull/2000"]));
});

test("old pull requests of one's own, closed years ago, never count", async () => {
  await using hub = await TestHub.start({ issues: 20, contribute: UNLIMITED });
  const relay = await hub.relay("mallory");
  const then = Date.UTC(2019, 4, 1);
  for (let number = 100; number < 108; number += 1) {
    const old = { createdAt: then, updatedAt: then, state: "closed" } as const;
    hub.codeHost.setPullRequest({ repo: "acme/one", number, author: "mallory", ...old });
    const held = await name(hub, relay, await relay.ready(), `https://github.com/acme/one/pull/${number}`);
    expect(held).toBe(NOT_CREDITED);
  }
  expect(hub.hub.ledger.contributorByLogin("mallory")).toMatchObject({ verified: 0, tier: "newcomer" });
  const { history } = (await hub.admin("GET", "/api/contributors/mallory")).body as { history: object[] };
  expect(history[0]).toMatchObject({
    pr_state: "refused",
    reason: "the pull request named was opened before the task was assigned",
  });
});

test.each([
  [-MINUTE - 1, NOT_CREDITED],
  [-MINUTE, CREDITED],
  [1000, CREDITED],
])("a pull request opened %i ms after the assignment, by a clock that is not ours, is held as %s", async (by, held) => {
  await using hub = await TestHub.start({ issues: 2 });
  const relay = await hub.relay("ada");
  const task = await relay.ready();
  hub.codeHost.setPullRequest({ repo: "acme/one", number: 50, author: "ada", createdAt: hub.clock.now() + by });
  expect(await name(hub, relay, task, "https://github.com/acme/one/pull/50")).toBe(held);
});

test("a pull request that was moved to another repository does not count", async () => {
  await using hub = await TestHub.start({ issues: 2 });
  const relay = await hub.relay("ada");
  hub.codeHost.setPullRequest({ repo: "acme/one", number: 50, author: "ada", baseRepo: "ada/one" });
  expect(await name(hub, relay, await relay.ready(), "https://github.com/acme/one/pull/50")).toBe(NOT_CREDITED);
});

test("an address elsewhere is not shown to anybody as a pull request", async () => {
  await using hub = await TestHub.start({ issues: 2 });
  const relay = await hub.relay("mallory");
  const evil = "https://evil.example/acme/one/pull/7";
  expect(await name(hub, relay, await relay.ready(), evil)).toBe(NOT_CREDITED);
  const { activity } = (await hub.call("GET", "/api/contribute/activity")).body as { activity: object[] };
  expect(JSON.stringify(activity)).not.toContain("evil.example");
  const history = (await hub.admin("GET", "/api/contributors/mallory")).body;
  expect(JSON.stringify(history)).not.toContain("evil.example");
});

test("of the app's own pull requests only one that names the assigned issue counts, by branch or by text", async () => {
  await using hub = await TestHub.start({ issues: 20, kind: "app", contribute: UNLIMITED });
  const relay = await hub.relay("mallory");
  const app = { repo: "acme/one", author: "nest[bot]", authorIsApp: true };
  const cases: [(number: number) => object, string][] = [
    [() => ({ headRef: "nest/issue-999", body: "Fixes #999" }), NOT_CREDITED],
    [(number) => ({ headRef: `nest/issue-${number}0`, body: `see #${number}` }), NOT_CREDITED],
    [(number) => ({ headRef: "work", body: `Fixes other/place#${number}` }), NOT_CREDITED],
    [(number) => ({ headRef: `nest/issue-${number}`, author: "another[bot]" }), NOT_CREDITED],
    [(number) => ({ headRef: `nest/issue-${number}`, author: "robin", authorIsApp: false }), NOT_CREDITED],
    [(number) => ({ headRef: `nest/issue-${number}` }), CREDITED],
    [(number) => ({ headRef: "work", body: `Fixes #${number}` }), CREDITED],
  ];
  for (const [at, [facts, held]] of cases.entries()) {
    const task = await relay.ready();
    hub.codeHost.setPullRequest({ ...app, number: 300 + at, ...facts(task.number) });
    expect([at, await name(hub, relay, task, `https://github.com/acme/one/pull/${300 + at}`)]).toEqual([at, held]);
  }
  expect(hub.hub.ledger.contributorByLogin("mallory")).toMatchObject({ verified: 2 });
});

test("the app's pull request for an earlier lease of the issue is not a later holder's", async () => {
  await using hub = await TestHub.start({ issues: 1, kind: "app" });
  const ada = await hub.relay("ada");
  const task = await ada.ready();
  ada.send({ type: "task_accepted", ...of(task) });
  hub.codeHost.setPullRequest({
    repo: "acme/one",
    number: 40,
    author: "nest[bot]",
    authorIsApp: true,
    headRef: "nest/issue-1",
    createdAt: hub.clock.now() + 5000,
    state: "closed",
  });
  ada.send({ type: "task_failed", ...of(task), reason: "gave up" });
  await ada.next("task_ack");
  await hub.clock.advance(11 * MINUTE);
  const mallory = await hub.relay("mallory");
  expect(await name(hub, mallory, await mallory.ready(), "https://github.com/acme/one/pull/40")).toBe(NOT_CREDITED);
});

test("two tasks that name one pull request: the earlier is judged first, however long that takes, and has it", async () => {
  await using hub = await TestHub.start({ issues: 2, kind: "app" });
  const [ada, mallory] = [await hub.relay("ada"), await hub.relay("mallory")];
  const [first, second] = [await ada.ready(), await mallory.ready()];
  const app = { author: "nest[bot]", authorIsApp: true };
  hub.codeHost.setPullRequest({ repo: "acme/one", number: 60, body: "Fixes #1, fixes #2", ...app });
  const report = { result: "completed", pr_url: "https://github.com/acme/one/pull/60" };
  hub.codeHost.failure = new NestError("codehost_unreachable", "nothing answers");
  ada.send({ type: "task_complete", ...of(first), ...report });
  await ada.next("task_ack");
  hub.codeHost.failure = undefined;
  mallory.send({ type: "task_complete", ...of(second), ...report });
  await mallory.next("task_ack");
  await expect
    .poll(async () => {
      await hub.clock.advance(5000);
      return ["ada", "mallory"].map((login) => hub.hub.ledger.contributorByLogin(login)?.verified);
    })
    .toEqual([1, 0]);
  await hub.clock.advance(60_000);
  expect(hub.hub.ledger.contributorByLogin("mallory")?.verified).toBe(0);
});
