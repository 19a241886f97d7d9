import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { WebHub } from "../harness/web-hub.ts";

const missing = isChromiumMissing("relays found by facets in a browser");
describe.skipIf(missing)("the relays of the operations page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test("are found by tier, backend, model and version; the address keeps what was chosen", async () => {
    await using web = await WebHub.start({ issues: 1 });
    const { hub } = web;
    await hub.relay("ada", { cli_backend: "claude", model: "sonnet" });
    await hub.relay("bob", { cli_backend: "codex", model: "large" });
    await hub.relay("carol", { cli_backend: "claude", model: "opus" });
    const { page, context, faults } = await openPage(browser, `${hub.url}/operations`, {
      viewport: { width: 1440, height: 900 },
      cookies: web.admin,
    });
    const rows = page.locator("#relays .relay-row");
    await expect.poll(() => rows.count()).toBe(3);
    await page.locator("#relays").getByRole("button", { name: "Filters" }).click();
    await page.getByRole("combobox", { name: "Backend" }).click();
    await page.getByRole("option", { name: "claude (2)" }).click();
    await expect.poll(() => rows.count()).toBe(2);
    expect(new URL(page.url()).search).toBe("?relay_backend=claude");
    await page.getByRole("combobox", { name: "Model" }).click();
    await page.getByRole("option", { name: "opus (1)" }).click();
    await expect.poll(() => rows.count()).toBe(1);
    expect(await seriousViolations(page)).toEqual([]);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole("group", { name: "Filters of relays" }).getByRole("button", { name: "Clear" }).click();
    await expect.poll(() => rows.count()).toBe(3);
    expect(faults).toEqual([]);
    await context.close();
  });
});
