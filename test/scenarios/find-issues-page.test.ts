import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { WebHub } from "../harness/web-hub.ts";

const missing = isChromiumMissing("the page that finds issues in a browser");
describe.skipIf(missing)("the page that finds issues", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  async function aScene() {
    const web = await WebHub.start({ issues: 0 });
    for (let number = 1; number <= 12; number += 1)
      web.hub.codeHost.setIssue({
        repo: "acme/one",
        number,
        title: `Issue ${number}`,
        labels: number % 3 === 0 ? ["flood"] : ["bug"],
        author: number % 2 === 0 ? "grace" : "ada",
      });
    await web.hub.hub.monitor.refresh();
    return web;
  }

  test("by facets that say how many have each value, kept in the address; what is selected is held, said before in numbers", async () => {
    await using web = await aScene();
    const { hub } = web;
    const { page, context, faults } = await openPage(browser, `${hub.url}/operations`, {
      viewport: { width: 1440, height: 900 },
      cookies: web.admin,
    });
    await page.getByRole("link", { name: "Find and act on many" }).click();
    await page.getByText("12 issues", { exact: true }).waitFor();
    await page.getByRole("combobox", { name: "Label" }).click();
    await page.getByRole("option", { name: "flood (4)" }).click();
    await page.getByText("4 issues", { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe("?label=flood");
    await page.getByRole("checkbox", { name: "Select acme/one#3" }).check();
    await page.getByText("1 selected").waitFor();
    await page.getByRole("checkbox", { name: "Select acme/one#9" }).click({ modifiers: ["Shift"] });
    await page.getByText("3 selected").waitFor();
    await page.getByRole("button", { name: "Select all 4" }).click();
    await page.getByText("4 selected").waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Hold…" }).click();
    await page.getByLabel("Why").fill("a flood");
    await page.getByRole("button", { name: "Hold 4 issues back" }).click();
    await page.getByText("4 issues held back.").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.closest('.long-list') !== null")).toBe(true);
    expect(await hub.actionable()).toBe(8);
    await page.getByText("boss holds it back (a flood)").first().waitFor();
    await page.getByRole("button", { name: "Select all 4" }).click();
    await page.getByRole("button", { name: "Offer again…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Offer 4 issues again" }).click();
    await expect.poll(() => hub.actionable()).toBe(12);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("those selected are pinned to the front, in the order of the list; a file has what the facets find", async () => {
    await using web = await aScene();
    const { hub } = web;
    const { page, context } = await openPage(browser, `${hub.url}/issues?author=grace&stands=offer`, {
      cookies: web.admin,
    });
    await page.getByRole("checkbox", { name: "Select acme/one#8" }).check();
    await page.getByRole("checkbox", { name: "Select acme/one#10" }).check();
    await page.getByRole("button", { name: "Pin to the front…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Pin 2 issues to the front" }).click();
    await page.getByText("2 issues pinned to the front").waitFor();
    expect((await (await hub.relay("ada")).ready()).number).toBe(8);
    const begun = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV file of these issues" }).click();
    const lines = (await readFile(await (await begun).path(), "utf8")).trimEnd().split("\r\n");
    expect(lines).toHaveLength(1 + 5);
    await context.close();
  });

  test.each([
    [1440, "issues", "+2"],
    [1440, "operations", "+4"],
    [390, "operations", "+4"],
  ])(
    "of many labels the first stand in a row, and the others are shown when their number has the focus (%i px, %s)",
    async (width, place, more) => {
      await using web = await aScene();
      const labels = ["bug", "good first issue", "help wanted", "area/scheduler", "priority/low"];
      web.hub.codeHost.setIssue({ repo: "acme/one", number: 1, title: "Issue 1", labels });
      await web.hub.hub.monitor.refresh();
      const { page, context, faults } = await openPage(browser, `${web.hub.url}/${place}`, {
        viewport: { width, height: 900 },
      });
      const row = page.locator(".long-row", { hasText: "good first issue" }).first();
      await row.getByRole("button", { name: `${more} more labels` }).focus();
      const tip = row.getByRole("tooltip");
      await tip.getByText("priority/low").waitFor();
      const cut =
        "[...document.querySelectorAll('.labelled > *')].filter((one) => one.scrollWidth > one.clientWidth + 1).length";
      expect(await page.evaluate(cut)).toBe(0);
      expect(await seriousViolations(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      await page.keyboard.press("Escape");
      await tip.waitFor({ state: "hidden" });
      expect(faults).toEqual([]);
      await context.close();
    },
  );

  test("strangers look and do not act; it fits a phone in the dark", async () => {
    await using web = await aScene();
    const { page, context, faults } = await openPage(browser, `${web.hub.url}/issues?stands=offer`, {
      viewport: { width: 390, height: 800 },
      colorScheme: "dark",
    });
    await page.getByText("12 issues", { exact: true }).waitFor();
    expect(await page.getByRole("checkbox").count()).toBe(0);
    expect(await page.getByRole("link", { name: "CSV" }).count()).toBe(0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    expect(await seriousViolations(page)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });
});
