import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allViolations, seriousViolations } from "../harness/axe.ts";
import { clippedChoices, isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { WebHub } from "../harness/web-hub.ts";

const missing = isChromiumMissing("the audit in a browser");
describe.skipIf(missing)("the page of the audit", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  async function aScene() {
    const web = await WebHub.start({ issues: 5 });
    for (const number of [1, 2, 3])
      await web.hub.admin("POST", "/api/contribute/queue/hold", {
        key: `acme/one#${number}`,
        held: true,
        reason: "later",
      });
    await web.hub.admin("PUT", "/api/config/governor/hub", { contribute_cooldown_hours: 12 });
    return web;
  }

  test("is filtered by kind, person, subject and day; the address has the filters, so it can be sent to others", async () => {
    await using web = await aScene();
    const { page, context, faults } = await openPage(browser, `${web.hub.url}/audit`, {
      viewport: { width: 1440, height: 900 },
      cookies: web.admin,
    });
    const rows = page.locator(".audit-row");
    await expect.poll(() => rows.count()).toBe(4);
    await page.getByRole("textbox", { name: "Whom or what" }).fill("one#2");
    await expect.poll(() => rows.count()).toBe(1);
    await page
      .getByRole("combobox", { name: "What" })
      .or(page.getByLabel("What", { exact: true }))
      .first()
      .click();
    await page.getByRole("option", { name: "Held back" }).click();
    await expect.poll(() => new URL(page.url()).search).toBe("?action=queue+hold&subject=one%232");
    await page.getByLabel("From").fill("2030-01-01");
    await page.getByText("No change is like that.").waitFor();
    await page.goto(`${web.hub.url}/audit?actor=admin-token&until=2029-12-31`);
    await expect.poll(() => rows.count()).toBe(4);
    expect(await page.getByLabel("Who", { exact: true }).inputValue()).toBe("admin-token");
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Clear" }).click();
    await expect.poll(() => new URL(page.url()).search).toBe("");
    await page.goto(`${web.hub.url}/audit?q=queue+configuration`);
    await expect.poll(() => rows.count()).toBe(1);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("what the filters find is taken along as a file", async () => {
    await using web = await aScene();
    const { page, context } = await openPage(browser, `${web.hub.url}/audit?action=queue+hold`, { cookies: web.admin });
    const begun = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV file of these changes" }).click();
    const file = await begun;
    expect(file.suggestedFilename()).toMatch(/^nest-audit-.*\.csv$/);
    expect((await readFile(await file.path(), "utf8")).trimEnd().split("\r\n")).toHaveLength(4);
    await context.close();
  });

  test("a view is saved under a name in this browser, and brings its filters back; it fits a phone in the dark", async () => {
    await using web = await aScene();
    const { page, context, faults } = await openPage(browser, `${web.hub.url}/audit?subject=one%233`, {
      viewport: { width: 390, height: 800 },
      colorScheme: "dark",
      cookies: web.admin,
    });
    await page.getByRole("combobox", { name: "What" }).waitFor();
    expect(await clippedChoices(page)).toEqual([]);
    await page.getByRole("combobox", { name: "What" }).click();
    await page.getByRole("option").first().waitFor();
    expect(await allViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitem", { name: "Save these filters…" }).click();
    await page.getByLabel("Name of the view").fill("the third");
    await page.getByRole("button", { name: "Save" }).click();
    await page.goto(`${web.hub.url}/audit`);
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitem", { name: "the third", exact: true }).click();
    await expect.poll(() => page.locator(".audit-row").count()).toBe(1);
    expect(new URL(page.url()).search).toBe("?subject=one%233");
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitem", { name: "Remove the view the third" }).click();
    expect(await page.evaluate("localStorage.getItem('nest-views:/audit')")).toBe("[]");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    expect(await seriousViolations(page)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });
});
