import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { FolderHere } from "../harness/folder-here.ts";
import type { ProcessHere } from "../harness/process-here.ts";
import { UpHere } from "../harness/up-here.ts";

const IMAGES = join(import.meta.dirname, "../../docs/images");
const missing = isChromiumMissing("the pages of nest up in a browser");

/** Runs in the page. */
const OUTLINE = `(() => {
  const { outlineStyle: style, outlineWidth: width } = getComputedStyle(document.activeElement);
  return { tag: document.activeElement.tagName, style, width };
})()`;

const sizes = { desktop: { width: 1280, height: 860 }, phone: { width: 360, height: 740 } } as const;

describe.skipIf(missing)("the pages of nest up in a browser", () => {
  let folder: FolderHere;
  let up: UpHere;
  let running: ProcessHere;
  let browser: Browser;

  beforeAll(async () => {
    folder = await FolderHere.make("live");
    up = await UpHere.make(folder.path, ["-pace", "700"]);
    running = up.start();
    browser = await launchChromium();
    await running.says(/^Nest is running\.$/m);
  });

  afterAll(async () => {
    await browser?.close();
    await running?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  /** A page, and everything that went wrong in it. */
  async function open(url: string, options: Parameters<typeof openPage>[2] = {}) {
    const { page, faults } = await openPage(browser, url, options);
    page.on("requestfailed", (request) => {
      if (!request.url().endsWith("/api/contribute/events")) faults.push(`${request.url()} failed`);
    });
    return { page, faults };
  }

  test("an issue goes from the queue to a pull request before one's eyes, without reloading", async () => {
    const { page, faults } = await open(up.hubUrl, { viewport: sizes.desktop });
    let loads = 0;
    page.on("load", () => (loads += 1));
    await expect.poll(() => page.locator("#link-state").textContent(), { timeout: 10_000 }).toBe("live");
    const work = page.locator("#under-way-list .where").first();
    await expect.poll(() => work.textContent(), { timeout: 15_000 }).toMatch(/^meadow\/[a-z-]+#\d+$/);
    const issue = (await work.textContent()) ?? "";
    const told = page.locator("#feed-list li", { hasText: issue }).filter({ hasText: "opened a pull request for" });
    await expect.poll(() => told.count(), { timeout: 30_000 }).toBeGreaterThan(0);
    const link = told.first().getByRole("link", { name: /^pull request #\d+$/ });
    const shown = await fetch((await link.getAttribute("href")) ?? "");
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining(`Fixes #${issue.split("#")[1]}`)]);
    await expect.poll(() => page.locator("#under-way-list").textContent()).not.toContain(`${issue} `);
    await expect.poll(async () => Number(await page.locator("#count-done").textContent())).toBeGreaterThan(0);
    expect(loads).toBe(0);
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);

  test("how to contribute tells in plain words what happens meanwhile, with links to the pull requests", async () => {
    const { page, faults } = await open(`${up.hubUrl}/contribute`, { viewport: sizes.phone });
    const before = await page.locator("#feed li").count();
    const first = before === 0 ? "" : await page.locator("#feed li").first().textContent();
    const confirmed = page.locator("#feed li", { hasText: "and the hub verified it" });
    await expect.poll(() => confirmed.count(), { timeout: 30_000 }).toBeGreaterThan(0);
    await expect.poll(() => page.locator("#feed li").first().textContent(), { timeout: 15_000 }).not.toBe(first);
    const link = confirmed.first().getByRole("link", { name: /^pull request #\d+$/ });
    expect((await fetch((await link.getAttribute("href")) ?? "")).status).toBe(200);
    expect(faults).toEqual([]);
    await page.close();
  }, 60_000);

  test("everything can be reached by keyboard, in order, and shows where one is", async () => {
    const { page } = await open(up.hubUrl, { viewport: sizes.desktop });
    await expect.poll(() => page.locator("#next-list a").count(), { timeout: 10_000 }).toBeGreaterThan(0);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the tasks under way");
    const skip = await page.locator(".skip").boundingBox();
    expect(skip?.y).toBeGreaterThanOrEqual(0);
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("under-way");
    await page.keyboard.press("Tab");
    const outline = await page.evaluate<{ tag: string; style: string; width: string }>(OUTLINE);
    expect(outline).toMatchObject({ tag: "A", style: expect.not.stringMatching("none") });
    expect(Number.parseFloat(outline.width)).toBeGreaterThan(0);
    await page.close();
  });

  test.each(["light", "dark"] as const)("on a phone nothing runs out of the page (%s)", async (colorScheme) => {
    for (const url of [up.hubUrl, up.spokeUrl]) {
      const { page, faults } = await open(url, { viewport: sizes.phone, colorScheme });
      await expect.poll(() => page.evaluate("document.readyState")).toBe("complete");
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(sizes.phone.width);
      expect(faults).toEqual([]);
      await page.close();
    }
  });

  test("a hostile page elsewhere cannot frame it, and without scripts it still tells where the data is", async () => {
    const { page } = await open(up.hubUrl, { javaScriptEnabled: false });
    expect(await page.locator("noscript").textContent()).toContain("This page follows the hub live");
    expect((await fetch(up.hubUrl)).headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    await page.close();
  });

  test.runIf(process.env.NEST_UPDATE_IMAGES === "1")(
    "its pictures for the documents are taken",
    async () => {
      await mkdir(IMAGES, { recursive: true });
      await expect.poll(() => up.verified().then((urls) => urls.length), { timeout: 40_000 }).toBeGreaterThan(3);
      const shoot = async (url: string, name: string, shows: string, options: object) => {
        const { page } = await open(url, options);
        await expect.poll(() => page.locator(shows).count(), { timeout: 15_000 }).toBeGreaterThan(0);
        await page.screenshot({ path: join(IMAGES, `${name}.png`), animations: "disabled" });
        await page.close();
      };
      for (const [size, viewport] of Object.entries(sizes)) {
        for (const colorScheme of ["light", "dark"] as const)
          await shoot(up.hubUrl, `hub-live-${size}-${colorScheme}`, "#under-way-list li", { viewport, colorScheme });
      }
      await shoot(up.spokeUrl, "spoke-home", "main", { viewport: sizes.desktop });
      const said = up.asUsual(running.output).trim().split("\n").slice(0, 24);
      await writeFile(join(IMAGES, "nest-up.txt"), `$ npm start\n\n${said.join("\n")}\n`);
    },
    90_000,
  );
});
