import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { TestHub } from "../harness/hub.ts";
import { RawRelay } from "../harness/raw-relay.ts";
import { WebHub } from "../harness/web-hub.ts";

const HOUR = 3_600_000;
const PAUSES = "/api/contribute/pauses";
const ONE = { kind: "repository", repo: "acme/one" };

/** A hub of two repositories with three and two issues. */
async function twoRepositories(): Promise<TestHub> {
  const hub = await TestHub.start({ issues: 3, config: { repos: ["acme/one", "acme/two"] } });
  hub.codeHost.addRepository("acme/two");
  for (const number of [1, 2]) hub.codeHost.setIssue({ repo: "acme/two", number });
  await hub.hub.monitor.refresh();
  return hub;
}

test("the issues of a paused repository are offered to nobody and say why; others are; the end of the pause offers them at once", async () => {
  await using hub = await twoRepositories();
  const until = new Date(hub.clock.now() + HOUR).toISOString();
  await hub.admin("PUT", PAUSES, { scope: { ...ONE, repo: "Acme/One" }, note: "its CI is broken", until });
  expect(await hub.actionable()).toBe(2);
  const queue = (await hub.call("GET", "/api/contribute/queue?with=withheld")).body as { queue: { repo: string }[] };
  expect(queue.queue.filter(({ repo }) => repo === "acme/one")).toMatchObject(
    [1, 2, 3].map((number) => ({
      number,
      withheld: { reason: "repo_paused", detail: "its CI is broken", until },
    })),
  );
  const ada = await hub.relay("ada");
  const bob = await hub.relay("bob");
  const carol = await hub.relay("carol");
  expect([(await ada.ready()).repo, (await bob.ready()).repo]).toEqual(["acme/two", "acme/two"]);
  carol.send({ type: "ready" });
  expect(await carol.next("task_unavailable")).toMatchObject({ reason: "no_matching_work" });
  await hub.admin("POST", `${PAUSES}/end`, { scope: ONE });
  expect((await carol.ready()).repo).toBe("acme/one");
});

test("a repository's pause ends by itself, is kept over a restart, and holds for issues that are read while it lasts", async () => {
  await using hub = await twoRepositories();
  await hub.admin("PUT", PAUSES, { scope: ONE, until: new Date(hub.clock.now() + HOUR).toISOString() });
  await hub.restart();
  hub.codeHost.setIssue({ repo: "acme/one", number: 9 });
  await hub.hub.monitor.refresh();
  expect(await hub.actionable()).toBe(2);
  await hub.clock.jump(HOUR);
  expect(await hub.actionable()).toBe(6);
});

test("what a pause would touch is said before, in numbers", async () => {
  await using hub = await twoRepositories();
  const laptop = await hub.relay("ada", { session: "laptop" });
  await hub.relay("bob");
  await laptop.ready();
  const id = laptop.contributorId;
  const effect = async (query: string) => (await hub.admin("GET", `${PAUSES}/effect?${query}`)).body;
  expect(await effect("kind=everything")).toEqual({ relays: 2, tasks: 1, issues: 4 });
  expect(await effect(`kind=contributor&contributor_id=${id}`)).toEqual({ relays: 1, tasks: 1, issues: 0 });
  expect(await effect(`kind=session&contributor_id=${id}&session=other`)).toEqual({ relays: 0, tasks: 0, issues: 0 });
  expect(await effect("kind=repository&repo=acme/two")).toEqual({ relays: 0, tasks: 0, issues: 2 });
  expect((await hub.admin("GET", `${PAUSES}/effect?kind=contributor`)).status).toBe(400);
  expect((await hub.call("GET", `${PAUSES}/effect?kind=everything`)).status).toBe(401);
});

test("the revision that pages watch changes with each pause and is as before when it is over", async () => {
  await using hub = await twoRepositories();
  const revision = async () =>
    ((await hub.call("GET", "/api/contribute/status")).body as { revision: string }).revision;
  const before = await revision();
  await hub.admin("PUT", PAUSES, { scope: ONE });
  const one = await revision();
  await hub.admin("PUT", PAUSES, { scope: { kind: "everything" } });
  expect(new Set([before, one, await revision()]).size).toBe(3);
  await hub.admin("POST", `${PAUSES}/end`, { scope: { kind: "everything" } });
  expect(await revision()).toBe(one);
  await hub.admin("POST", `${PAUSES}/end`, { scope: ONE });
  expect(await revision()).toBe(before);
});

test("a repository that the hub does not serve cannot be paused; an audit line tells each change", async () => {
  await using hub = await twoRepositories();
  const refused = await hub.admin("PUT", PAUSES, { scope: { kind: "repository", repo: "acme/none" } });
  expect(refused).toMatchObject({ status: 404, body: { error: "this hub does not serve acme/none" } });
  await hub.admin("PUT", PAUSES, { scope: ONE, note: "release" });
  await hub.admin("POST", `${PAUSES}/end`, { scope: ONE });
  expect((await hub.admin("GET", "/api/audit?q=repository:acme/one")).body).toMatchObject({
    audit: [
      { action: "pause ended", before: "until ended: release" },
      { action: "paused", after: "until ended: release" },
    ],
  });
});

test("connected relays are told by a notice when a pause of theirs begins and ends", async () => {
  await using hub = await TestHub.start({ issues: 2 });
  const laptop = await hub.relay("ada", { session: "laptop" });
  const tower = await RawRelay.join(hub.socket, laptop.token, { session: "tower" });
  const old = await hub.relay("bob", { capabilities: {} });
  const scope = { kind: "session", contributor_id: laptop.contributorId, session: "laptop" };
  await hub.admin("PUT", PAUSES, { scope, note: "full disk" });
  expect((await laptop.next("notice")).message).toBe(
    "an admin paused this relay: full disk; what is under way goes on",
  );
  await hub.admin("POST", `${PAUSES}/end`, { scope });
  expect((await laptop.next("notice")).message).toBe("an admin ended the pause of this relay");
  expect(await tower.pending("notice")).toEqual([]);
  await hub.admin("PUT", PAUSES, { scope: { kind: "everything" } });
  for (const relay of [laptop, tower, old])
    expect((await relay.next("notice")).message).toBe("an admin paused everybody; what is under way goes on");
});

const missing = isChromiumMissing("pauses of a repository in a browser");
describe.skipIf(missing)("pauses on the operations page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test("a repository, a relay and everybody are paused with the effect said before, listed in one place, and ended there", async () => {
    await using web = await WebHub.start({ issues: 3 });
    const { hub } = web;
    await hub.relay("ada", { session: "laptop" });
    const viewport = { width: 1280, height: 900 };
    const { page, context, faults } = await openPage(browser, `${hub.url}/operations`, {
      viewport,
      cookies: web.admin,
    });
    const dialog = page.getByRole("dialog");
    const pause = async (note: string) => {
      await dialog.getByLabel("Why").fill(note);
      await dialog.getByRole("button", { name: "Pause", exact: true }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await page.getByRole("button", { name: "Pause acme/one" }).click();
    await dialog.getByText("3 issues will be offered to nobody. Nothing of it is under way.").waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await pause("its CI is broken");
    await page.locator("#repositories").getByText("paused for").waitFor();

    await page.locator("#relays").getByRole("button", { name: "ada" }).click();
    await page.getByRole("button", { name: "Pause this relay…" }).click();
    await page.getByText("1 connected relay will get no work.").waitFor();
    await page.getByLabel("Why").fill("full disk");
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByRole("button", { name: "End its pause" }).waitFor();
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await page.locator("#relays .mark", { hasText: "paused for" }).waitFor();

    await page.locator(".controls").getByRole("button", { name: "Pause…" }).click();
    await pause("we release");
    const listed = page.locator("#pauses");
    await listed.getByText("everybody by boss").waitFor();
    expect(await listed.getByRole("listitem").allTextContents()).toEqual([
      expect.stringMatching(/^everybody by boss until .*: we releaseEnd$/),
      expect.stringMatching(/^laptop of ada by boss until .*: full diskEnd$/),
      expect.stringMatching(/^acme\/one by boss until .*: its CI is brokenEnd$/),
    ]);
    expect(await seriousViolations(page)).toEqual([]);
    const live = await openPage(browser, hub.url, { viewport });
    await live.page
      .getByText("An operator has paused the hand-out of work: we release. Tasks under way go on.")
      .waitFor();
    await live.context.close();
    for (const name of ["everybody", "laptop of ada", "acme/one"])
      await listed.getByRole("button", { name: `End the pause of ${name}` }).click();
    await listed.waitFor({ state: "detached" });
    expect(await hub.actionable()).toBe(3);
    expect(faults).toEqual([]);
    await context.close();

    const stranger = await openPage(browser, `${hub.url}/operations`, { viewport: { width: 360, height: 800 } });
    await stranger.page.locator("#repositories").getByText("3 open issues").waitFor();
    expect(await stranger.page.getByRole("button", { name: /Pause/ }).count()).toBe(0);
    expect(await stranger.page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    await stranger.context.close();
  });
});
