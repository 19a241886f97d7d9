import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { scriptsOf } from "../harness/nest-in-browser.ts";
import { WebHub } from "../harness/web-hub.ts";

const missing = isChromiumMissing("parts of pages that are loaded when they are needed");

describe.skipIf(missing)("parts of pages that are loaded when they are needed", () => {
  let browser: Browser;
  let web: WebHub;

  beforeAll(async () => {
    browser = await launchChromium();
    web = await WebHub.start({ issues: 6 });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await web?.[Symbol.asyncDispose]();
  });

  const open = (path: string) =>
    openPage(browser, web.hub.url + path, { viewport: { width: 1280, height: 900 }, cookies: web.admin });
  const focused = (page: Page) => page.evaluate<string | null>("document.activeElement.getAttribute('aria-label')");

  test("a form that cannot be loaded is told, and trying again opens it", async () => {
    const { page, context } = await open("/operations");
    const announce = page.getByRole("button", { name: "Announce" });
    await announce.waitFor();
    await page.route("**/announce-form-*.js", (asked) => asked.abort());
    await announce.click();
    const told = page.getByRole("alert").filter({ hasText: "This part of the page could not be loaded." });
    await told.waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.unroute("**/announce-form-*.js");
    await told.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("dialog", { name: "Announce to everybody" }).waitFor();
    expect(await told.count()).toBe(0);
    await context.close();
  });

  test("a page whose scripts break off says so and loads itself again; after three times a person decides", async () => {
    const scripts = "**/app/assets/*.js";
    const { page, context } = await open("/leaderboard");
    await page.route(scripts, (asked) => asked.abort("internetdisconnected"));
    let loads = 0;
    page.on("domcontentloaded", () => (loads += 1));
    await page.goto(`${web.hub.url}/operations`);
    const told = page.getByRole("alert").filter({ hasText: "could not be loaded whole" });
    await told.filter({ hasText: "It is loaded again in 1 s." }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await told.filter({ hasText: "It is loaded again in 4 s." }).waitFor();
    expect(loads).toBe(2);
    await page.unroute(scripts);
    await page.getByRole("button", { name: "Announce" }).waitFor({ timeout: 15_000 });
    expect([loads, await told.count()]).toEqual([3, 0]);
    await page.evaluate("sessionStorage.setItem('nest-loaded-again', JSON.stringify({ times: 3, at: Date.now() }))");
    await page.route(scripts, (asked) => asked.abort("internetdisconnected"));
    await page.reload();
    await told.waitFor();
    expect(await told.textContent()).not.toContain("It is loaded again");
    await page.unroute(scripts);
    await told.getByRole("button", { name: "Load again" }).click();
    await page.getByRole("button", { name: "Announce" }).waitFor();
    await context.close();
  });

  test("windows of dialogs come at the first touch, so that a dialog opens at once; it gives the focus back when it closes", async () => {
    const { page, context, faults } = await open("/operations");
    await page.getByRole("button", { name: "Hold acme/one#1" }).waitFor();
    const names = async () => (await scriptsOf({ page })).names.filter((name) => name.includes("/dialog-window-"));
    expect(await names()).toEqual([]);
    await page.keyboard.press("Tab");
    await expect.poll(names).toHaveLength(1);
    const hold = page.getByRole("button", { name: "Hold acme/one#1" });
    await hold.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    const isInside = "document.querySelector('[role=dialog]').contains(document.activeElement)";
    await expect.poll(() => page.evaluate(isInside)).toBe(true);
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toBe("Hold acme/one#1");
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a menu opens at its button, is walked by the arrows in a circle, and gives the focus back", async () => {
    const { page, context, faults } = await open("/operations");
    const more = page.getByRole("button", { name: "More for acme/one#2" });
    await more.focus();
    await page.keyboard.press("Enter");
    const menu = page.getByRole("menu", { name: "More for acme/one#2" });
    await menu.waitFor();
    const item = () => page.evaluate<string>("document.activeElement.textContent");
    await expect.poll(item).toBe("Pin to the front");
    const ground = "getComputedStyle(document.activeElement).backgroundColor";
    expect(await page.evaluate(ground)).not.toBe("rgba(0, 0, 0, 0)");
    for (const [key, text] of [
      ["ArrowDown", "Move to number…"],
      ["ArrowDown", "Pin to the front"],
      ["ArrowUp", "Move to number…"],
      ["Home", "Pin to the front"],
      ["End", "Move to number…"],
    ] as const) {
      await page.keyboard.press(key);
      expect([key, await item()]).toEqual([key, text]);
    }
    const [button, box] = [await more.boundingBox(), await menu.boundingBox()];
    if (button === null || box === null) throw new Error("the menu or its button is not drawn");
    expect(Math.abs(box.x + box.width - button.x - button.width)).toBeLessThan(2);
    expect(box.y - button.y - button.height).toBeLessThan(10);
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "hidden" });
    expect(await focused(page)).toBe("More for acme/one#2");
    await more.click();
    await menu.waitFor();
    await page.getByRole("heading", { name: "Operations" }).click();
    await menu.waitFor({ state: "hidden" });
    expect(faults).toEqual([]);
    await context.close();
  });
});
