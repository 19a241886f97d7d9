import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing } from "../harness/chromium.ts";
import { nestInBrowser } from "../harness/nest-in-browser.ts";
import { NotificationReceivers } from "../harness/notification-receivers.ts";

const missing = isChromiumMissing("channels, agents and modes in the settings of a nest");
const KEY = "key-that-signs-the-posts";

describe.skipIf(missing)("what the settings of a nest add and remove", () => {
  const { scene, open: openAt } = nestInBrowser();
  let receivers: NotificationReceivers;
  beforeAll(async () => {
    receivers = await NotificationReceivers.open("password");
  });
  afterAll(() => receivers[Symbol.asyncDispose]());

  const open = (options: Parameters<typeof openAt>[1] = {}) => openAt("/settings", options);
  const config = async () =>
    (await scene().call<{ config: Record<string, Record<string, object>> }>("GET", "/api/config")).config;
  const unfold = (page: Page, name: string) =>
    page
      .locator("summary")
      .filter({ hasText: new RegExp(`^${name}$`) })
      .click();
  const save = async (page: Page) => {
    await page.getByRole("button", { name: "Review and save" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  };
  const addChannel = async (page: Page, name: string, path: string) => {
    await page.getByRole("button", { name: "Add a channel" }).click();
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("dialog").getByLabel("Address").fill(`${receivers.url}${path}`);
    await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
    await unfold(page, name);
  };

  test("a channel is added, gets its secret, and a test says what became of it", async () => {
    const { page, context, faults } = await open();
    await addChannel(page, "hook", "/hook");
    const test = page.getByRole("button", { name: "Send a test over hook" });
    await test.click();
    await page.getByText("Not delivered: it has no secret yet to sign with.").waitFor();
    const secret = page.getByLabel("Secret of hook");
    await secret.fill(KEY);
    await page.getByRole("button", { name: "Save the secret" }).click();
    await page.getByPlaceholder("It is saved, and is not shown").waitFor();
    expect(await secret.inputValue()).toBe("");
    await test.click();
    await page.getByText(/^Delivered in/).waitFor();
    expect(receivers.at("/hook").map(({ headers }) => headers["x-nest-event"])).toEqual(["test"]);
    expect(JSON.stringify(await config())).not.toContain(KEY);
    expect(await seriousViolations(page)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("what a channel is told of is shown as a difference before it is saved, and works at once", async () => {
    const { page, context } = await open();
    await unfold(page, "hook");
    await page.getByLabel("A run failed or was blocked").uncheck();
    await page.getByLabel("The nest started").check();
    await page.getByLabel("Quiet hours").fill("22 to 7");
    await page.getByRole("button", { name: "Review and save" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("run_failed").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("must be two times of day such as 22:00-07:00").waitFor();
    await page.getByLabel("Quiet hours").fill("22:00-07:00");
    await save(page);
    const hook = async () => (await config()).notifications?.channels as Record<string, object>;
    await expect.poll(hook).toMatchObject({
      hook: { events: ["agent_paused", "backup", "nest_started"], quiet_hours: "22:00-07:00" },
    });
    await context.close();
  });

  test("two owners that change one channel settle it, and one of them may have removed it", async () => {
    const [mine, theirs] = [await open(), await open()];
    for (const { page } of [mine, theirs]) await unfold(page, "hook");
    await theirs.page.getByLabel("Minutes of a digest").fill("15");
    await save(theirs.page);
    await theirs.page
      .getByText(/^Saved here by ada/)
      .first()
      .waitFor();
    await mine.page.getByLabel("Minutes of a digest").fill("30");
    await save(mine.page);
    await mine.page.getByText("was changed by another window or person as well").waitFor();
    await mine.page.getByRole("button", { name: "Take theirs" }).click();
    await mine.page.getByLabel("Minutes of a digest").fill("45");
    await theirs.page.getByRole("button", { name: "Remove hook" }).click();
    await theirs.page.getByText("No message is lost.").waitFor();
    await theirs.page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await expect.poll(async () => (await config()).notifications).toBeUndefined();
    await mine.page.getByRole("button", { name: "Remove hook" }).click();
    await mine.page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await mine.page.getByText("Somebody saved the configuration since it was read.").waitFor();
    await mine.page.getByText(/1 unsaved change of yours is dropped, because .* removed .*digest.* \(45\)/).waitFor();
    for (const { context } of [mine, theirs]) await context.close();
  });

  test("an agent is removed with its run and its intervals, which is said before in numbers, and brought back", async () => {
    const { page, context } = await open();
    const names = async () =>
      (await scene().call<{ agents: { name: string }[] }>("GET", "/api/agents")).agents.map(({ name }) => name);
    await unfold(page, "reviewer");
    await page.getByRole("button", { name: "Remove reviewer" }).click();
    await page.getByText("3 intervals stay in nest.yaml, without effect: idle pause, busy 30m, surge 10m.").waitFor();
    await page.getByText(/^(?:No run ends: it is not at work|1 run ends, the one on .*)\.$/).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await expect.poll(names).toEqual(["builder"]);
    await page.getByRole("button", { name: "Bring reviewer back" }).click();
    await expect.poll(names).toEqual(["builder", "reviewer"]);
    await context.close();
  });

  test("an agent that is removed leaves the pages of whoever looks at them", async () => {
    const { page, context } = await openAt("/agents");
    const card = page.getByRole("region", { name: /^reviewer/ });
    await card.waitFor();
    await scene().call("PUT", "/api/config", { agents: { reviewer: false } });
    await card.waitFor({ state: "detached" });
    await scene().call("PUT", "/api/config", { agents: { reviewer: null } });
    await card.waitFor();
    await context.close();
  });

  test("a mode is added with its threshold and an interval, and the governor goes by it", async () => {
    const { page, context } = await open();
    await page.getByRole("button", { name: "Add a mode" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("flood");
    expect(await dialog.getByRole("button", { name: "Add" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Holds above").fill("400");
    await dialog.getByLabel("builder works every").fill("5m");
    await dialog.getByRole("button", { name: "Add" }).click();
    await page.getByText("The mode flood is added.").waitFor();
    const modes = async () =>
      (await scene().call<{ governor: { modes: object[] } }>("POST", "/api/governor/evaluate")).governor.modes;
    await expect.poll(modes).toContainEqual({ name: "flood", threshold: 400 });
    expect((await config()).governor).toMatchObject({ modes: { flood: { threshold: 400, builder: "5m" } } });
    await unfold(page, "Mode flood");
    await page.getByRole("button", { name: "Remove the mode flood" }).click();
    await page.getByText("1 interval goes: builder 5m.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await expect.poll(modes).not.toContainEqual({ name: "flood", threshold: 400 });
    await context.close();
  });

  test("a mode is removed, which is said before in numbers", async () => {
    const { page, context } = await open();
    await unfold(page, "Mode surge");
    await page.getByRole("button", { name: "Remove the mode surge" }).click();
    for (const words of ["It is not the mode now.", "2 intervals go: builder 5m, reviewer 10m.", "2 modes stay."])
      await page.getByText(words).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Bring surge back" }).waitFor();
    await context.close();
  });

  test("people are saved in one call with the rest, and a mistake is told at their field", async () => {
    const { page, context } = await open();
    await page.getByLabel("People", { exact: true }).fill("ada:owner\nrob:read\nrob:merger");
    await page.getByLabel("Seconds between two readings").fill("45");
    await save(page);
    await page.getByText("rob is in the list twice").waitFor();
    await page.getByLabel("People", { exact: true }).fill("ada:owner\nrob:read");
    const saves: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "PUT") saves.push(new URL(request.url()).pathname);
    });
    await save(page);
    await expect.poll(async () => (await config()).dashboard?.authorized_users).toEqual(["ada:owner", "rob:read"]);
    expect(saves).toEqual(["/api/config"]);
    expect((await config()).governor?.eval_interval_s).toBe(45);
    await context.close();
  });
});
