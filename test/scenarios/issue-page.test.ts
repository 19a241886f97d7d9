import type { issues } from "@nest/protocol";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { TestHub } from "../harness/hub.ts";
import { WebHub } from "../harness/web-hub.ts";

type Reply = issues.IssueReply;
const HOUR = 3_600_000;

const path = (number: number | string) => `/api/contribute/issues/acme/one/${number}`;
const read = async (hub: TestHub, number: number) => (await hub.admin("GET", path(number))).body as Reply;
const holding = ({ rules }: Reply) => rules.filter(({ state }) => state === "withholds").map(({ rule }) => rule);

test("an issue on offer says so with its place, and every rule that was asked lets it pass or is off", async () => {
  await using hub = await TestHub.start({ issues: 3, contribute: { contribute_deny_labels: ["wip"] } });
  const found = await read(hub, 2);
  expect(found).toMatchObject({ key: "acme/one#2", place: 2, actionable_items: 3, closed: [], attempts: [] });
  expect(found.issue).not.toHaveProperty("withheld");
  expect(found.rules.map(({ rule, state }) => `${rule} ${state}`)).toEqual([
    "repo_disabled off",
    "label_filter passes",
    "title_filter passes",
    "author_filter passes",
    "tracker passes",
    "assigned_to_other off",
    "leased passes",
    "repo_paused passes",
    "operator_hold passes",
    "claimed passes",
    "waiting passes",
    "tiers off",
    "models off",
  ]);
});

test("every rule that holds an issue back is told with its value, not only the first; strangers see no setting", async () => {
  await using hub = await TestHub.start({ issues: 1, contribute: { contribute_deny_labels: ["needs-*"] } });
  hub.codeHost.setIssue({ repo: "acme/one", number: 1, labels: ["needs-design"] });
  await hub.hub.monitor.refresh();
  const until = new Date(hub.clock.now() + HOUR).toISOString();
  await hub.admin("POST", "/api/contribute/queue/hold", { key: "acme/one#1", held: true, reason: "wait", until });
  await hub.admin("PUT", "/api/contribute/pauses", { scope: { kind: "repository", repo: "acme/one" }, note: "CI" });
  const found = await read(hub, 1);
  expect(holding(found)).toEqual(["label_filter", "repo_paused", "operator_hold"]);
  expect(found.rules).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        rule: "label_filter",
        detail: "needs-*",
        setting: { name: "contribute_deny_labels", value: { mode: "deny", patterns: ["needs-*"] } },
      }),
      expect.objectContaining({ rule: "repo_paused", detail: "CI" }),
      expect.objectContaining({ rule: "operator_hold", detail: "wait", until }),
    ]),
  );
  expect(found.issue?.withheld?.reason).toBe("label_filter");
  expect(found.hold).toMatchObject({ reason: "wait", until, by: expect.any(String) });
  const theirs = (await hub.call("GET", path(1))).body as Reply;
  expect(holding(theirs)).toEqual(holding(found));
  expect(theirs.hold).not.toHaveProperty("by");
  expect(theirs.rules.filter(({ setting }) => setting !== undefined)).toEqual([]);
  expect(JSON.stringify(found.rules)).toContain("needs-*");
  expect(JSON.stringify(theirs)).not.toContain("needs-*");
});

test("an operator's hold ends by itself at its end, and not before", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const until = new Date(hub.clock.now() + HOUR).toISOString();
  const hold = (body: object) =>
    hub.admin("POST", "/api/contribute/queue/hold", { key: "acme/one#1", held: true, ...body });
  expect(await hold({ until })).toMatchObject({ body: { held: true, until } });
  await hub.clock.jump(HOUR - 1);
  expect(hub.withheld(1)).toBe("operator_hold");
  await hub.clock.jump(1);
  expect(await hub.actionable()).toBe(1);
  expect((await hub.admin("GET", "/api/contribute/queue/order")).body).toMatchObject({ hold: [] });
  expect(await read(hub, 1)).not.toHaveProperty("hold");
  expect((await hold({ until })).status).toBe(400);
});

test("an issue tells its attempts, its failures on the way to a quarantine, and what keeps everybody from work", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const relay = await hub.relay("ada");
  const { task_id, task_gen } = await relay.ready();
  expect(holding(await read(hub, 1))).toEqual(["leased"]);
  relay.send({ type: "task_accepted", task_id, task_gen });
  relay.send({ type: "task_failed", task_id, task_gen, reason: "no disk" });
  await relay.next("task_ack");
  await hub.admin("PUT", "/api/contribute/pauses", { scope: { kind: "everything" }, note: "we release" });
  expect(await read(hub, 1)).toMatchObject({
    failures: 1,
    quarantine_at: 3,
    attempts: [{ task_id, outcome: "failed", github_username: "ada" }],
    closed: [{ reason: "contribution_suspended", because: "we release" }],
  });
  expect(holding(await read(hub, 1))).toEqual(["failed"]);
});

test("an issue that the hub does not know says why; one that was closed keeps its attempts", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const relay = await hub.relay("ada");
  const { task_id } = await relay.ready();
  hub.codeHost.setIssue({ repo: "acme/one", number: 1, state: "closed" });
  await hub.hub.monitor.refresh();
  expect(await read(hub, 1)).toMatchObject({ unknown: "not_open", rules: [], attempts: [{ task_id }] });
  expect(await hub.admin("GET", path(77))).toMatchObject({
    status: 404,
    body: { error: expect.stringContaining("no open issue of this number") },
  });
  expect((await hub.admin("GET", "/api/contribute/issues/acme/other/1")).body).toMatchObject({
    error: expect.stringContaining("serves no such repository"),
  });
  for (const wrong of ["0", "x", "1e3", "99999999999", "%00"])
    expect([wrong, (await hub.admin("GET", path(wrong))).status]).toEqual([wrong, 404]);
});

test("an issue of a private repository is not there for strangers, as one that is not served", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  hub.codeHost.privateRepositories.add("acme/one");
  await hub.clock.jump(2 * HOUR);
  await hub.hub.monitor.refresh();
  expect((await read(hub, 1)).issue?.number).toBe(1);
  expect(await hub.call("GET", path(1))).toMatchObject({ status: 404 });
  expect((await hub.call("GET", path(1))).body).toEqual(
    (await hub.call("GET", "/api/contribute/issues/acme/none/1")).body,
  );
});

const missing = isChromiumMissing("the page of an issue in a browser");
describe.skipIf(missing)("the page of an issue", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test("is led to from the queue; an admin puts it first, holds it with an end, lets it go, and lifts its quarantine", async () => {
    await using web = await WebHub.start({ issues: 3, contribute: { contribute_deny_titles: ["secret plan"] } });
    const { hub } = web;
    const relay = await hub.relay("ada");
    const task = await relay.ready();
    relay.send({ type: "task_accepted", task_id: task.task_id, task_gen: task.task_gen });
    relay.send({ type: "task_failed", task_id: task.task_id, task_gen: task.task_gen, reason: "no", permanent: true });
    await relay.next("task_ack");
    const viewport = { width: 1440, height: 900 };
    const { page, context, faults } = await openPage(browser, `${hub.url}/operations`, {
      viewport,
      cookies: web.admin,
    });
    await page.locator("#queue").getByRole("link", { name: "acme/one#3" }).click();
    await page.getByRole("heading", { level: 1, name: "acme/one#3 on offer, number 2 of 2" }).waitFor();
    await page.getByRole("button", { name: "Pin to the front" }).click();
    await page.getByRole("heading", { level: 1, name: "number 1 of 2" }).waitFor();
    await page.getByRole("button", { name: "Unpin" }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Hold issue…" }).click();
    await page.getByLabel("Why").fill("the design changes");
    await page.getByRole("combobox", { name: "For how long" }).click();
    await page.getByRole("option", { name: "1 day" }).click();
    await page.getByRole("button", { name: "Hold back" }).click();
    await page.getByRole("heading", { level: 1, name: "held by an operator" }).waitFor();
    await page.locator("#rules [data-rule=operator_hold]").getByText("the design changes, until").waitFor();
    await page.locator("#rules").getByText("deny: secret plan").waitFor();
    await page.getByRole("button", { name: "Let go" }).click();
    await page.getByRole("heading", { level: 1, name: "on offer" }).waitFor();

    await page.goto(`${hub.url}/audit?q=queue+hold`);
    await page.locator(".audit-row").getByRole("link", { name: "acme/one#3" }).first().click();
    await page.waitForURL(`${hub.url}/issues/acme/one/3`);

    await page.goto(`${hub.url}/issues/acme/one/1`);
    await page.getByRole("heading", { level: 1, name: "failed repeatedly" }).waitFor();
    await page.getByRole("button", { name: "Lift the quarantine…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Lift the quarantine" }).click();
    await page.getByRole("heading", { level: 1, name: "on offer" }).waitFor();
    await page.locator("#attempts").getByRole("link", { name: "failed" }).click();
    await page.waitForURL(`${hub.url}/tasks/${task.task_id}`);
    await page.getByText("The issue now").waitFor();
    await page.getByRole("button", { name: "Write…" }).click();
    await page.getByLabel("What to tell them").fill("is your disk full?");
    await page.keyboard.press("Enter");
    expect((await relay.next("notice")).message).toBe("boss writes: is your disk full?");
    expect(faults).toEqual([]);
    await context.close();
  });

  test("fits a phone, and shows a stranger the rules and no lever", async () => {
    await using web = await WebHub.start({ issues: 1 });
    const { page, context } = await openPage(browser, `${web.hub.url}/issues/acme/one/1`, {
      viewport: { width: 360, height: 800 },
    });
    await page.locator("#rules").getByText("Label filter").waitFor();
    for (const name of ["Hold issue…", "Pin to the front"])
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    expect(await seriousViolations(page)).toEqual([]);
    await page.goto(web.hub.url);
    await page.getByRole("link", { name: "acme/one#1" }).click();
    await page.getByRole("heading", { level: 1, name: "acme/one#1 on offer" }).waitFor();
    await page.goto(`${web.hub.url}/issues/acme/one/77`);
    await page.getByText("the code host lists no open issue of this number").waitFor();
    await context.close();
  });
});
