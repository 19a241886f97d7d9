import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { TestHub } from "../harness/hub.ts";

const missing = isChromiumMissing("the hub's public pages in a browser");

/** Runs in the page before its own scripts: adds up the layout shifts that nobody's input caused. */
const WATCH_SHIFTS = `(() => {
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
})()`;

/** Runs in the page: the names of its regions, how many lists have another role, and links lower than 24 px. */
const READ_BY_OTHERS = `(() => ({
  names: [...document.querySelectorAll("section[aria-labelledby], section[aria-label], [role=region]")].map(
    (one) => one.getAttribute("aria-label") ?? document.getElementById(one.getAttribute("aria-labelledby")).textContent,
  ),
  odd: document.querySelectorAll("ol[role], ul[role]").length,
  low: [...document.querySelectorAll(".list a, footer a, nav a")]
    .filter((link) => link.getClientRects().length > 0 && link.getBoundingClientRect().height < 24)
    .map((link) => link.outerHTML),
}))()`;

const sizes = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;

describe.skipIf(missing)("the hub's public pages in a browser", () => {
  let browser: Browser;
  let hub: TestHub;

  beforeAll(async () => {
    browser = await launchChromium();
    hub = await TestHub.start({ issues: 40, kind: "app" });
    for (const login of ["alice", "bob", "carol"]) {
      const relay = await hub.relay(login);
      const task = await relay.ready();
      relay.send({ type: "task_accepted", task_id: task.task_id, task_gen: task.task_gen });
      await hub.clock.jump(1000);
    }
  });
  afterAll(async () => {
    await browser?.close();
    await hub?.[Symbol.asyncDispose]();
  });

  test.each(Object.entries(sizes))("nothing on the live page moves while it fills (%s)", async (_name, viewport) => {
    const { page, context } = await openPage(browser, "about:blank", { viewport });
    await context.addInitScript(WATCH_SHIFTS);
    await page.goto(hub.url);
    await page.locator("#feed-list li").first().waitFor();
    await page.locator("#under-way-list li").first().waitFor();
    await page.waitForFunction(`document.querySelector("#link-state").textContent === "live"`);
    // Observers are called after a frame: wait until they have seen the last one.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    expect(await page.evaluate<number>("window.shifted")).toBeLessThan(0.01);
    await context.close();
  });

  test.each(Object.entries(sizes))("a new line of the feed moves nothing on the page (%s)", async (name, viewport) => {
    const { page, context } = await openPage(browser, "about:blank", { viewport });
    await context.addInitScript(WATCH_SHIFTS);
    await page.goto(hub.url);
    await page.locator("#feed-list li").first().waitFor();
    if (name === "phone") await page.locator("#feed").scrollIntoViewIfNeeded();
    await page.evaluate("window.shifted = 0");
    for (const nth of [1, 2, 3]) {
      await hub.register(`${name}-${nth}`);
      await hub.clock.jump(1000);
      await page.locator("#feed-list li").first().getByText(`${name}-${nth}`).waitFor();
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    }
    expect(await page.evaluate<number>("window.shifted")).toBeLessThan(0.001);
    await context.close();
  });

  test("who has scrolled down in the feed goes on reading the same line when new ones come", async () => {
    const { page, context } = await openPage(browser, hub.url, { viewport: sizes.desktop });
    await page.locator("#feed-list li").nth(8).waitFor();
    await page.evaluate("document.querySelector('#feed .log').scrollTop = 150");
    const third = await page.locator("#feed-list li").nth(3).elementHandle();
    const before = (await third?.boundingBox())?.y;
    await hub.register("while-reading");
    await hub.clock.jump(1000);
    await page.getByText("while-reading").waitFor();
    expect((await third?.boundingBox())?.y).toBeCloseTo(before ?? Number.NaN, 0);
    await context.close();
  });

  test.each(["/", "/contribute", "/leaderboard"])("%s has a way to sign in without scripts, and back", async (path) => {
    const { page, context } = await openPage(browser, hub.url + path, { javaScriptEnabled: false });
    const link = page.getByRole("link", { name: "Sign in" });
    expect(await link.getAttribute("href")).toBe(`/login?redirect=${encodeURIComponent(path)}`);
    expect(await page.getByLabel("Colours").isVisible()).toBe(false);
    await link.click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await context.close();
  });

  test.each(["/", "/contribute", "/leaderboard", "/login"])(
    "%s is understood by those who do not see it, and its links are large enough for a finger",
    async (path) => {
      const { page, context, faults } = await openPage(browser, hub.url + path, { viewport: sizes.phone });
      if (path === "/") await page.locator("#under-way-list a").first().waitFor();
      const read = await page.evaluate<{ names: string[]; odd: number; low: string[] }>(READ_BY_OTHERS);
      expect(read.names).toEqual([...new Set(read.names)]);
      expect(read.odd).toBe(0);
      expect(read.low).toEqual([]);
      expect(faults).toEqual([]);
      await context.close();
    },
  );

  test.each(["light", "dark"] as const)("an unknown address gets a page of the hub's own (%s)", async (colorScheme) => {
    const { page, context } = await openPage(browser, `${hub.url}/no/such/page`, {
      viewport: sizes.phone,
      colorScheme,
    });
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(sizes.phone.width);
    const [ground, ink] = await page.evaluate<[string, string]>(
      "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]",
    );
    expect(ground).toBe(colorScheme === "dark" ? "rgb(16, 18, 20)" : "rgb(246, 246, 243)");
    expect(ink).not.toBe(ground);
    await page.getByRole("link", { name: "To the front page" }).click();
    await page.getByRole("heading", { name: "Issues becoming pull requests" }).waitFor();
    await context.close();
  });
});
