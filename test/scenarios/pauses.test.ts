import { describeActivity, type pauses } from "@nest/protocol";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { TestHub } from "../harness/hub.ts";
import { WebHub } from "../harness/web-hub.ts";

const HOUR = 3_600_000;
const PAUSES = "/api/contribute/pauses";

const pause = (hub: TestHub, body: object) => hub.admin("PUT", PAUSES, body);
const end = (hub: TestHub, scope: object) => hub.admin("POST", `${PAUSES}/end`, { scope });
const soon = (hub: TestHub) => new Date(hub.clock.now() + HOUR).toISOString();

test("a paused contributor gets no work, is told why and until when, and gets it at once when the pause is ended", async () => {
  await using hub = await TestHub.start({ issues: 3 });
  const ada = await hub.relay("ada");
  const bob = await hub.relay("bob");
  const scope = { kind: "contributor", contributor_id: ada.contributorId };
  await pause(hub, { scope, note: "your agent opens\nempty pull requests", until: soon(hub) });
  ada.send({ type: "ready" });
  expect(await ada.next("task_unavailable")).toMatchObject({
    reason: "paused",
    message: "your agent opens empty pull requests",
    retry_after_s: 3600,
  });
  expect((await bob.ready()).number).toBe(1);
  expect(await end(hub, scope)).toMatchObject({ body: { ended: true } });
  expect((await ada.ready()).number).toBe(2);
  expect(await end(hub, scope)).toMatchObject({ body: { ended: false } });
});

test("a pause ends by itself, and survives a restart of the hub until then", async () => {
  await using hub = await TestHub.start({ issues: 3 });
  const ada = await hub.relay("ada");
  await pause(hub, { scope: { kind: "contributor", contributor_id: ada.contributorId }, until: soon(hub) });
  ada.send({ type: "ready" });
  expect((await ada.next("task_unavailable")).reason).toBe("paused");
  await hub.clock.jump(HOUR);
  expect((await ada.ready()).number).toBe(1);
  expect((await hub.admin("GET", PAUSES)).body).toEqual({ pauses: [] });
});

test("one machine is paused while the contributor's others work; everybody is paused as suspended", async () => {
  await using hub = await TestHub.start({ issues: 5 });
  const laptop = await hub.relay("ada", { session: "laptop" });
  const scope = { kind: "session", contributor_id: laptop.contributorId, session: "laptop" };
  await pause(hub, { scope, note: "full disk" });
  laptop.send({ type: "ready" });
  expect(await laptop.next("task_unavailable")).toMatchObject({ reason: "paused", message: "full disk" });
  const bob = await hub.relay("bob");
  expect((await bob.ready()).number).toBe(1);
  await pause(hub, { scope: { kind: "everything" }, note: "we release" });
  const carol = await hub.relay("carol");
  carol.send({ type: "ready" });
  expect(await carol.next("task_unavailable")).toMatchObject({
    reason: "contribution_suspended",
    message: "we release",
  });
  expect((await hub.call("GET", "/api/contribute/status")).body).toMatchObject({ pause: { note: "we release" } });
  expect((await hub.call("GET", "/contribute")).body).toContain("suspended for now: we release.");
  const listed = (await hub.admin("GET", PAUSES)).body as { pauses: pauses.Pause[] };
  expect(listed.pauses.map(({ scope: { kind }, github_username: login, note }) => [kind, login, note])).toEqual(
    expect.arrayContaining([
      ["everything", undefined, "we release"],
      ["session", "ada", "full disk"],
    ]),
  );
});

test("what is under way when a pause begins goes on and counts", async () => {
  await using hub = await TestHub.start({ issues: 2 });
  const ada = await hub.relay("ada");
  const { task_id, task_gen } = await ada.ready();
  await pause(hub, { scope: { kind: "contributor", contributor_id: ada.contributorId } });
  ada.send({ type: "task_accepted", task_id, task_gen });
  ada.send({ type: "task_complete", task_id, task_gen, result: "completed", verdict: "no_work_needed" });
  await ada.next("task_ack");
  expect((await hub.admin("GET", "/api/contributors/ada")).body).toMatchObject({
    contributor: { total_tasks_completed: 1 },
  });
});

test("each change is audited; nobody else may pause; a time that is over and an unknown contributor are refused", async () => {
  await using hub = await TestHub.start();
  const ada = await hub.relay("ada");
  const scope = { kind: "contributor", contributor_id: ada.contributorId };
  await pause(hub, { scope, note: "why" });
  await end(hub, scope);
  const { audit } = (await hub.admin("GET", "/api/audit?q=contributor:ada")).body as { audit: { action: string }[] };
  expect(audit.map(({ action }) => action)).toEqual(["pause ended", "paused"]);
  const theirs = { authorization: `Bearer ${ada.token}` };
  expect((await hub.call("PUT", PAUSES, { scope }, theirs)).status).toBe(403);
  expect((await hub.call("GET", PAUSES)).status).toBe(401);
  expect((await pause(hub, { scope, until: new Date(hub.clock.now()).toISOString() })).status).toBe(400);
  expect((await pause(hub, { scope: { kind: "contributor", contributor_id: "c-nobody" } })).status).toBe(404);
  expect((await pause(hub, { scope: { kind: "planet" } })).status).toBe(400);
});

test("which admin holds, pauses and suspends is told to admins, and to nobody else", async () => {
  await using hub = await TestHub.start({ issues: 2 });
  await hub.admin("POST", "/api/contribute/queue/hold", { key: "acme/one#1", held: true, reason: "a flood" });
  const said = async (ask: typeof hub.admin, path: string) => JSON.stringify((await ask("GET", path)).body);
  const [byAll, byAdmins] = [hub.call.bind(hub), hub.admin.bind(hub)] as const;
  const withheld = "/api/contribute/queue?with=withheld";
  const issue = "/api/contribute/issues/acme/one/1";
  expect(await said(byAll, withheld)).toContain("an operator holds it back (a flood)");
  expect(await said(byAdmins, withheld)).toContain("admin-token holds it back (a flood)");
  expect(await said(byAdmins, issue)).toContain("admin-token holds it back");
  const scope = { kind: "repository", repo: "acme/one" };
  await hub.admin("PUT", "/api/contribute/pauses", { scope, note: "CI is down" });
  expect(await said(byAdmins, withheld)).toContain("admin-token has paused its repository (CI is down)");
  await hub.admin("PUT", "/api/contribute/pauses", { scope: { kind: "everything" }, note: "a release" });
  expect(JSON.parse(await said(byAdmins, issue)).closed).toMatchObject([{ because: "a release", by: "admin-token" }]);
  const status = "/api/contribute/status";
  const pauses = { pause: { by: "admin-token" }, repositories: [{ pause: { by: "admin-token" } }] };
  expect(JSON.parse(await said(byAdmins, status))).toMatchObject(pauses);
  await hub.admin("PUT", "/api/config/governor/hub", { contribute_suspended: true });
  const feed = "/api/contribute/activity";
  const [line] = JSON.parse(await said(byAdmins, feed)).activity;
  expect(describeActivity(line).before).toBe("hands out no work for now, suspended by admin-token");
  for (const path of [withheld, issue, status, feed]) expect(await said(byAll, path)).not.toMatch(/admin-token/i);
});

const missing = isChromiumMissing("pauses in a browser");
describe.skipIf(missing)("a pause, in the browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test("is begun with a note, shown in the list and to who is paused, and ended", async () => {
    await using web = await WebHub.start({ issues: 2 });
    const { hub } = web;
    const relay = await hub.relay("ada");
    const viewport = { width: 1280, height: 900 };
    const { page, context, faults } = await openPage(browser, `${hub.url}/contributors/ada`, {
      viewport,
      cookies: web.admin,
    });
    await page.getByRole("button", { name: "Pause…" }).click();
    await page.getByLabel("Why").fill("empty pull requests");
    await page.getByRole("combobox", { name: "For how long" }).click();
    await page.getByRole("option", { name: "until it is ended" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByText("Paused by boss until it is ended: empty pull requests").waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    relay.send({ type: "ready" });
    expect(await relay.next("task_unavailable")).toMatchObject({ reason: "paused", message: "empty pull requests" });

    const own = await openPage(browser, `${hub.url}/me`, { viewport, cookies: await web.visitor("ada") });
    await own.page.getByText("An admin has paused you: empty pull requests What is under way goes on.").waitFor();
    await own.context.close();

    await page.getByRole("button", { name: "End the pause" }).click();
    await page.getByRole("button", { name: "Pause…" }).waitFor();
    await page.locator(".undoable", { hasText: "is over" }).getByRole("button", { name: "Undo" }).click();
    await page.getByText("Paused by boss until it is ended: empty pull requests").waitFor();
    await page.getByRole("button", { name: "End the pause" }).click();
    await page.getByRole("button", { name: "Pause…" }).waitFor();
    expect((await relay.ready()).number).toBe(1);
    expect(faults).toEqual([]);
    await context.close();
  });
});
