import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FolderHere } from "../harness/folder-here.ts";
import type { ProcessHere } from "../harness/process-here.ts";
import { UpHere } from "../harness/up-here.ts";

const CHROMIUM = "/usr/bin/chromium";
const IMAGES = join(import.meta.dirname, "../../docs/images");
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const missing = !existsSync(CHROMIUM);
if (missing && process.env.CI === "true") throw new Error(`${CHROMIUM} is missing`);
if (missing) console.log(`skipped: the pages in a browser need ${CHROMIUM}`);

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
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    await running.says(/^Nest is running\.$/m);
  });

  afterAll(async () => {
    await browser?.close();
    await running?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  /** A page, and everything that went wrong in it. */
  async function open(url: string, options: object = {}): Promise<{ page: Page; faults: string[] }> {
    const page = await browser.newPage(options);
    const faults: string[] = [];
    page.on("pageerror", (thrown) => faults.push(String(thrown)));
    page.on("console", (said) => {
      if (said.type() === "error" || said.type() === "warning") faults.push(said.text());
    });
    page.on("requestfailed", (request) => {
      if (!request.url().endsWith("/api/contribute/events")) faults.push(`${request.url()} failed`);
    });
    await page.goto(url);
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
    expect(Number(await page.locator("#count-done").textContent())).toBeGreaterThan(0);
    expect(loads).toBe(0);
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
