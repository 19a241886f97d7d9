import { readFile } from "node:fs/promises";
import { NestError } from "@nest/kit";
import type { tasks } from "@nest/protocol";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { TestHub } from "../harness/hub.ts";
import { WebHub } from "../harness/web-hub.ts";

type Reply = tasks.TaskReply;

async function read(hub: TestHub, id: string): Promise<Reply> {
  return (await hub.call("GET", `/api/contribute/tasks/${id}`)).body as Reply;
}

test("a task tells its lease while it lives, every event in order, who has it and on which machine; then how it ended", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const relay = await hub.relay("ada", { session: "laptop" });
  const { task_id: id, task_gen } = await relay.ready();
  expect(await read(hub, id)).toMatchObject({
    task: { status: "offered", repo: "acme/one", number: 1, github_username: "ada", session: "laptop", task_gen },
    relay: { session: "laptop", current_task: id },
    attempts: [],
  });
  relay.send({ type: "task_accepted", task_id: id, task_gen });
  relay.send({ type: "task_progress", task_id: id, task_gen, status: "working", summary: "reading the code" });
  await expect.poll(async () => (await read(hub, id)).task.status).toBe("in-progress");
  const { task } = await read(hub, id);
  expect(Date.parse(task.expires_at ?? "") - hub.clock.now()).toBe(30 * 60_000);
  relay.send({ type: "task_failed", task_id: id, task_gen, reason: "no disk", failure_kind: "environment" });
  await expect.poll(async () => (await read(hub, id)).task.status).toBe("ended");
  const ended = await read(hub, id);
  expect(ended.task).toMatchObject({ outcome: "failed", reason: "no disk", failure_kind: "environment" });
  expect(ended.task).not.toHaveProperty("expires_at");
  expect(ended).not.toHaveProperty("relay");
  expect(ended.events.map(({ action }) => action)).toEqual(["picked up", "failed"]);
});

test("the other attempts at an issue are told, newest first, and lead to one another", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const ids: string[] = [];
  for (const login of ["ada", "bob", "carol"]) {
    const relay = await hub.relay(login);
    const { task_id: id, task_gen } = await relay.ready();
    ids.push(id);
    relay.send({ type: "task_accepted", task_id: id, task_gen });
    relay.send({ type: "task_failed", task_id: id, task_gen, reason: `${login} could not` });
    await relay.next("task_ack");
    await hub.clock.jump(11 * 60_000);
  }
  const [first = "", second, third = ""] = ids;
  expect((await read(hub, first)).attempts.map(({ task_id }) => task_id)).toEqual([third, second]);
  expect((await read(hub, third)).attempts).toMatchObject([{ reason: "bob could not" }, { reason: "ada could not" }]);
});

test("a task of a private repository, one that never was, and an id that is none are not there for strangers", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const relay = await hub.relay("ada");
  const { task_id: id } = await relay.ready();
  const other = id.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  for (const wrong of [other, "task-zz-00", "task-1", "..%2f..%2fetc", "task-99999999999-00", "%00"])
    expect([wrong, (await hub.call("GET", `/api/contribute/tasks/${wrong}`)).status]).toEqual([wrong, 404]);
});

test("what the agent printed last is kept for admins and its contributor, from the task's holder alone, and shown as plain text", async () => {
  await using hub = await TestHub.start({ issues: 2 });
  const ada = await hub.relay("ada");
  const mallory = await hub.relay("mallory");
  const { task_id: id, task_gen } = await ada.ready();
  await mallory.ready();
  const output = (headers: Record<string, string> = {}) =>
    hub.call("GET", `/api/contribute/tasks/${id}/output`, undefined, headers);
  const as = (token: string) => ({ authorization: `Bearer ${token}` });
  expect(await hub.admin("GET", `/api/contribute/tasks/${id}/output`)).toMatchObject({ body: { allowed: true } });
  ada.send({ type: "task_accepted", task_id: id, task_gen });
  const lines = ["$ npm test", "\u001b[31m1 failed\u001b[0m", "<img src=x onerror=alert(1)>"];
  ada.send({ type: "task_progress", task_id: id, task_gen, status: "working", tmux_output: lines });
  const text = "$ npm test\n1 failed\n<img src=x onerror=alert(1)>";
  await expect.poll(async () => (await output(as(ada.token))).body).toMatchObject({ output: { text } });
  mallory.send({ type: "task_progress", task_id: id, task_gen, status: "working", tmux_output: ["mine now"] });
  await mallory.next("task_revoke");
  expect((await hub.admin("GET", `/api/contribute/tasks/${id}/output`)).body).toMatchObject({ output: { text } });
  expect(await output()).toMatchObject({ status: 401 });
  expect((await output(as(mallory.token))).body).toEqual({ allowed: false });
});

test("admins see what the code host says of the pull request: its state and its required checks, asked once a minute; not one of another repository", async () => {
  await using hub = await TestHub.start({ issues: 2 });
  const relay = await hub.relay("ada");
  const pull = { repo: "acme/one", number: 10, headSha: "head", author: "ada", createdAt: hub.clock.now() + 1000 };
  hub.codeHost.setPullRequest(pull);
  hub.codeHost.checks.set("head", "pending");
  const complete = async (pr_url: string) => {
    const { task_id, task_gen } = await relay.ready();
    relay.send({ type: "task_accepted", task_id, task_gen });
    relay.send({ type: "task_complete", task_id, task_gen, result: "completed", pr_url });
    await relay.next("task_ack");
    return `/api/contribute/tasks/${task_id}/pull-request`;
  };
  const path = await complete("https://github.com/acme/one/pull/10");
  const found = async () => (await hub.admin("GET", path)).body as { pull_request?: tasks.PullRequestState };
  expect((await found()).pull_request).toMatchObject({ state: "open", draft: false, checks: "pending" });
  hub.codeHost.checks.set("head", "red");
  expect((await found()).pull_request).toMatchObject({ checks: "pending" });
  await hub.clock.jump(60_000);
  expect((await found()).pull_request).toMatchObject({ checks: "red" });
  hub.codeHost.setPullRequest({ ...pull, state: "closed", merged: true });
  await hub.clock.jump(60_000);
  expect((await found()).pull_request).toMatchObject({ state: "merged" });
  hub.codeHost.failure = new NestError("codehost_unreachable", "the code host did not answer");
  await hub.clock.jump(60_000);
  expect((await found()).pull_request).toEqual({ at: expect.any(String), error: "the code host did not answer" });
  hub.codeHost.failure = undefined;
  expect((await hub.call("GET", path)).status).toBe(401);
  const theirs = { authorization: `Bearer ${relay.token}` };
  expect((await hub.call("GET", path, undefined, theirs)).status).toBe(403);
  const other = await complete("https://github.com/acme/two/pull/10");
  expect(await hub.admin("GET", other)).toMatchObject({ status: 200, body: {} });
  expect((await hub.admin("GET", other)).body).not.toHaveProperty("pull_request");
});

const missing = isChromiumMissing("the page of a task in a browser");
describe.skipIf(missing)("the page of a task", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test("is led to from the tasks under lease, follows what happens, and takes the task back; to strangers it shows no lever", async () => {
    await using web = await WebHub.start({ issues: 2 });
    const { hub } = web;
    const relay = await hub.relay("ada", { session: "laptop" });
    const { task_id: id, task_gen } = await relay.ready();
    const viewport = { width: 1280, height: 900 };
    const { page, context, faults } = await openPage(browser, `${hub.url}/operations`, {
      viewport,
      cookies: web.admin,
    });
    await page.locator("#tasks").getByRole("link", { name: "offered" }).click();
    await page.getByRole("heading", { level: 1, name: /acme\/one#1 offered/ }).waitFor();
    await page.locator("#lease").getByText("Lease", { exact: true }).waitFor();
    await page.locator("#relay").getByText("laptop").waitFor();
    relay.send({ type: "task_accepted", task_id: id, task_gen });
    const lines = ["$ npm test", "<b>4 passed</b>"];
    relay.send({ type: "task_progress", task_id: id, task_gen, status: "working", tmux_output: lines });
    await page.getByRole("heading", { level: 1, name: /under way/ }).waitFor();
    await page.getByLabel("What the agent printed last").getByText("<b>4 passed</b>").waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByText("What the agent printed is copied.").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(lines.join("\n"));
    const begun = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    const file = await begun;
    expect(file.suggestedFilename()).toBe(`${id}.txt`);
    expect(await readFile(await file.path(), "utf8")).toBe(lines.join("\n"));
    await page.getByRole("button", { name: "Take back" }).click();
    await page.getByRole("button", { name: "Take it back" }).click();
    await page.getByRole("heading", { level: 1, name: /taken back by an operator/ }).waitFor();
    expect((await relay.next("task_revoke")).task_id).toBe(id);
    expect(faults).toEqual([]);
    await context.close();

    const small = await openPage(browser, `${hub.url}/tasks/${id}`, { viewport: { width: 360, height: 800 } });
    await small.page.getByRole("heading", { level: 1, name: /acme\/one#1/ }).waitFor();
    expect(await small.page.getByRole("button", { name: "Take back" }).count()).toBe(0);
    expect(await small.page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    await small.context.close();
  });

  test("says so where there is no such task", async () => {
    await using web = await WebHub.start();
    const { page, context } = await openPage(browser, `${web.hub.url}/tasks/task-1-ab`, {});
    await page.getByText("there is no such task, or it is of a private repository").waitFor();
    await context.close();
  });
});
