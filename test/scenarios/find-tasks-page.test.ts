import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { of } from "../harness/raw-relay.ts";
import { WebHub } from "../harness/web-hub.ts";

const missing = isChromiumMissing("the page that finds tasks in a browser");
describe.skipIf(missing)("the page that finds tasks", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  async function aScene() {
    const web = await WebHub.start({ issues: 3 });
    const { code_host: host } = (await web.hub.call("GET", "/api/contribute/status")).body as { code_host: string };
    for (const login of ["ada", "bob"]) {
      const relay = await web.hub.relay(login, login === "bob" ? { model: "opus", relay_protocol_version: "1.2" } : {});
      const task = await relay.ready();
      relay.send({ type: "task_accepted", ...of(task) });
      const ending =
        login === "ada"
          ? { type: "task_failed", reason: `no disk, see ${host}/acme/one/pull/7`, failure_kind: "environment" }
          : undefined;
      if (ending !== undefined) {
        relay.send({ ...ending, ...of(task) });
        await relay.next("task_ack");
      }
    }
    return web;
  }

  test("by ending and contributor, kept in the address; a file has what was found, and a row leads to the task", async () => {
    await using web = await aScene();
    const { page, context, faults } = await openPage(browser, `${web.hub.url}/operations`, {
      viewport: { width: 1440, height: 900 },
      cookies: web.admin,
    });
    await page.getByRole("link", { name: "Find any task" }).click();
    await page.getByRole("navigation", { name: "Pages", exact: true }).locator("a[aria-current=page]").waitFor();
    expect(await page.locator("a[aria-current=page]").allTextContents()).toEqual(["Operations"]);
    const rows = page.locator("#tasks .entry");
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByRole("combobox", { name: "Ended" }).click();
    await page.getByRole("option", { name: "failed (1)", exact: true }).click();
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByText("no disk, see acme/one#7").waitFor();
    expect(await page.getByRole("link", { name: "acme/one#7" }).getAttribute("href")).toMatch(/\/acme\/one\/pull\/7$/);
    expect(new URL(page.url()).search).toBe("?outcome=failed");
    expect(await seriousViolations(page)).toEqual([]);
    const begun = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV file of these tasks" }).click();
    const lines = (await readFile(await (await begun).path(), "utf8")).trimEnd().split("\r\n");
    expect(lines).toHaveLength(2);
    await page.getByRole("combobox", { name: "Contributor" }).click();
    await page.getByRole("option", { name: "ada (1)" }).click();
    await page.getByRole("combobox", { name: "Repository" }).fill("acme/two");
    await page.getByRole("option", { name: "acme/two" }).click();
    await page.getByText("No task is like that.").waitFor();
    expect(new URL(page.url()).search).toBe("?contributor=ada&outcome=failed&repo=acme%2Ftwo");
    expect(faults).toEqual([]);
    await context.close();
  });

  test("by what was declared; a row leads to the task, and the way back to what was found", async () => {
    await using web = await aScene();
    const { page, context, faults } = await openPage(browser, `${web.hub.url}/tasks`, {
      viewport: { width: 1440, height: 900 },
      cookies: web.admin,
    });
    const rows = page.locator("#tasks .entry");
    await page.getByRole("combobox", { name: "Model" }).click();
    await page.getByRole("option", { name: "opus (1)" }).click();
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole("combobox", { name: "Tier then" }).click();
    await page.getByRole("option", { name: "newcomer" }).click();
    await expect.poll(() => new URL(page.url()).search).toBe("?model=opus&tier=newcomer");
    await page.getByRole("combobox", { name: "Tier then" }).click();
    await page.getByRole("option", { name: "not recorded" }).click();
    await page.getByText("No task is like that.").waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByRole("combobox", { name: "Kind of failure" }).click();
    await page.getByRole("option", { name: "environment (1)" }).click();
    await rows.filter({ hasText: "no disk" }).getByRole("link").first().click();
    await page.getByRole("heading", { level: 1, name: /acme\/one#\d/ }).waitFor();
    await page.getByText("not declared").first().waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.locator(".crumb").getByRole("link", { name: "Tasks" }).click();
    await page.waitForURL(`${web.hub.url}/tasks?failure_kind=environment`);
    await expect.poll(() => rows.count()).toBe(1);
    expect(faults).toEqual([]);
    await context.close();
  });

  test.each([
    ["light", 1440],
    ["dark", 1440],
    ["light", 390],
    ["dark", 390],
  ] as const)("fits in %s at %i px", async (colorScheme, width) => {
    await using web = await aScene();
    const { page, context, faults } = await openPage(browser, `${web.hub.url}/tasks?failure_kind=environment`, {
      viewport: { width, height: 900 },
      colorScheme,
      cookies: web.admin,
    });
    await page.getByText("no disk").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    expect(await seriousViolations(page)).toEqual([]);
    const folder = process.env.NEST_TEST_SHOTS;
    if (folder !== undefined) {
      await page.screenshot({ path: `${folder}/find-tasks-${width}-${colorScheme}.png`, fullPage: true });
      await page.locator("#tasks .entry").first().getByRole("link").first().click();
      await page.getByText("Tier then").waitFor();
      await page.screenshot({ path: `${folder}/task-facts-${width}-${colorScheme}.png`, fullPage: true });
    }
    expect(faults).toEqual([]);
    await context.close();
  });
});
