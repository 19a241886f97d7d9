import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { WebHub } from "../harness/web-hub.ts";

const missing = isChromiumMissing("the page of API tokens in a browser");
describe.skipIf(missing)("the page of API tokens", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test("makes a token, shows it once, and revokes it; from then on it is worth nothing", async () => {
    await using web = await WebHub.start();
    const { hub } = web;
    const { page, context, faults } = await openPage(browser, `${hub.url}/tokens`, {
      viewport: { width: 1280, height: 900 },
      cookies: web.admin,
    });
    await page.getByText("No token yet.").waitFor();
    await page.getByRole("button", { name: "Make a token" }).click();
    await page.getByLabel("Name").fill("nightly report");
    await page.getByRole("radio", { name: "operate" }).check();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Make the token" }).click();
    const token = (await page.getByTestId("new-token").textContent()) ?? "";
    await page.getByText("never used").waitFor();
    const status = async () =>
      (await hub.call("GET", "/api/audit", undefined, { authorization: `Bearer ${token}` })).status;
    expect(await status()).toBe(200);
    await page.reload();
    await page.getByText(/^used /).waitFor();
    expect(await page.getByTestId("new-token").count()).toBe(0);
    expect(await page.content()).not.toContain(token);
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Revoke nightly report" }).click();
    await page.getByRole("button", { name: "Revoke it" }).click();
    await page.getByText("No token yet.").waitFor();
    expect(await status()).toBe(401);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a token without end is made only by whoever says so, and is marked; the page fits a phone in the dark", async () => {
    await using web = await WebHub.start();
    const { page, context, faults } = await openPage(browser, `${web.hub.url}/tokens`, {
      viewport: { width: 390, height: 800 },
      colorScheme: "dark",
      cookies: web.admin,
    });
    await page.getByRole("button", { name: "Make a token" }).click();
    await page.getByLabel("Name").fill("for ever");
    await page.getByRole("checkbox", { name: "It has no end" }).check();
    await page.getByRole("button", { name: "Make the token" }).click();
    await page.getByText("no end", { exact: true }).waitFor();
    await page.getByRole("button", { name: "I have it" }).click();
    expect(await page.getByTestId("new-token").count()).toBe(0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    expect(await seriousViolations(page)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });
});
