import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { isChromiumMissing } from "../harness/chromium.ts";
import { hubInBrowser } from "../harness/hub-in-browser.ts";

const missing = isChromiumMissing("lists of the hub's browser app");

describe.skipIf(missing)("the lists of the hub's browser app", () => {
  const at = hubInBrowser({ issues: 40 });

  const focused = (page: Page) =>
    page.evaluate(`(document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "")`);

  test("a list is one stop of the Tab key; within it the arrows go from row to row and from control to control", async () => {
    const { page, context, faults } = await at.open("/operations");
    await page.getByText("acme/one#1", { exact: true }).first().waitFor();
    await page.getByRole("searchbox", { name: "Search the queue" }).focus();
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Issues on offer");
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toBe("Move acme/one#1, number 1");
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toBe("Move acme/one#2, number 2");
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowRight");
    expect(await focused(page)).toBe("Hold acme/one#2");
    await page.keyboard.press("End");
    await expect.poll(() => focused(page)).toBe("Hold acme/one#40");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(`document.activeElement.closest("#queue") === null`)).toBe(true);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("what narrows a list is in the address: it stays when the page is loaded again, and Back leaves the page", async () => {
    await at.hub.relay("alice");
    const { page, context, faults } = await at.open("/operations");
    await page
      .locator("#queue")
      .getByText(/^Withheld/)
      .click();
    await page.getByRole("searchbox", { name: "Search the queue" }).fill("one#7");
    await page.locator("#relays").getByText("Idle", { exact: true }).click();
    await expect.poll(() => page.url()).toMatch(/\?q=one%237&queue=withheld&relays=idle$/);
    await page.reload();
    await page.locator("#relays").getByRole("button", { name: "alice" }).waitFor();
    expect(await page.getByRole("searchbox", { name: "Search the queue" }).inputValue()).toBe("one#7");
    expect(await page.getByRole("radio", { name: /^Withheld/ }).isChecked()).toBe(true);
    expect(await page.getByRole("radio", { name: "Idle" }).isChecked()).toBe(true);
    await page.getByRole("link", { name: "Contributors" }).click();
    await page.getByRole("button", { name: "Sort by verified" }).click();
    await page.waitForURL(/\/contributors\?direction=down&sort=verified$/);
    await page.goBack();
    await page.waitForURL(/\/operations\?q=one%237&queue=withheld/);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("an address that says nonsense shows the page as it is without, and one of no page says so", async () => {
    const { page, context, faults } = await at.open("/operations?queue=all&relays=%3Cb%3E&more=1");
    await page.getByText("acme/one#1", { exact: true }).first().waitFor();
    await page.goto(`${at.hub.url}/contributors?tier=king&sort=luck`);
    await page.getByText("0 in all").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});
