import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seriousViolations } from "../harness/axe.ts";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { of, RawRelay } from "../harness/raw-relay.ts";
import { WebHub } from "../harness/web-hub.ts";

const HOUR = 3_600_000;
const desktop = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

const endings = [
  { type: "task_complete", result: "completed" },
  { type: "task_complete", result: "completed" },
  { type: "task_failed", reason: "no disk", failure_kind: "environment" },
  { type: "task_complete", result: "completed", verdict: "no_work_needed" },
  { type: "task_complete", result: "completed", verdict: "blocked", verdict_reason: "waits for people" },
  { type: "task_failed", reason: "tests fail", failure_kind: "task" },
] as const;

/** Has two contributors work for some hours. */
async function workFor(web: WebHub, hours: number): Promise<void> {
  const backends = ["claude", "codex"] as const;
  const tokens = [await web.hub.register("ada"), await web.hub.register("bob")];
  for (let nth = 0; nth < hours * tokens.length; nth += 1) {
    const token = tokens[nth % tokens.length]?.registration_token ?? "";
    const relay = await RawRelay.join(web.hub.socket, token, { cli_backend: backends[nth % backends.length] });
    const task = await relay.ready();
    relay.send({ ...endings[nth % endings.length], ...of(task) });
    await relay.next("task_ack");
    await relay.drop();
    if (nth % tokens.length === 1) await web.hub.clock.jump(HOUR);
  }
}

const missing = isChromiumMissing("the page of numbers in a browser");
describe.skipIf(missing)("the page of numbers", () => {
  let browser: Browser;
  let web: WebHub;
  beforeAll(async () => {
    browser = await launchChromium();
    web = await WebHub.start({ issues: 30 });
    await workFor(web, 6);
  });
  afterAll(async () => {
    await web?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  test.each([desktop, phone])(
    "shows charts with axes, told by pointer and keyboard, and as tables, $width px wide",
    async (viewport) => {
      for (const colorScheme of ["light", "dark"] as const) {
        const { page, context, faults } = await openPage(browser, `${web.hub.url}/numbers?window=24h`, {
          viewport,
          colorScheme,
          cookies: web.admin,
        });
        await page.locator("#ended").waitFor();
        const chart = page.locator("#ended").getByRole("img");
        await chart.focus();
        await page.keyboard.press("Home");
        const first = await page.locator("#ended figcaption").textContent();
        await page.keyboard.press("ArrowRight");
        expect(await page.locator("#ended figcaption").textContent()).not.toBe(first);
        await page.locator("#waiting").getByText("As a table").click();
        await page.locator("#waiting").getByRole("columnheader", { name: "95th percentile" }).waitFor();
        await page.locator("#backends").getByRole("rowheader", { name: "claude" }).waitFor();
        expect(await seriousViolations(page)).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
        expect(faults).toEqual([]);
        const folder = process.env.NEST_TEST_SHOTS;
        if (folder !== undefined)
          await page.screenshot({ path: `${folder}/numbers-${viewport.width}-${colorScheme}.png`, fullPage: true });
        await context.close();
      }
    },
  );

  test("keeps window and filters in the address, and saves what it shows as CSV", async () => {
    const { page, context } = await openPage(browser, `${web.hub.url}/numbers?window=7d`, {
      viewport: desktop,
      cookies: web.admin,
    });
    await page.locator("#contributors").getByRole("link", { name: "ada" }).click();
    await page.waitForURL(/contributor=ada/);
    await expect.poll(() => page.locator("#contributors tbody tr").count()).toBe(1);
    expect(page.url()).toContain("window=7d");
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV of by repository" }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe("nest-7d-repositories.csv");
    const [head, row] = (await readFile(await download.path(), "utf8")).split("\r\n");
    expect(head).toBe(
      "Repository,Assigned,Completed,Verified,Success (%),No work needed,Blocked,Failed,Wait p50 (ms),Wait p95 (ms)",
    );
    expect(row).toMatch(/^acme\/one,6,/);
    await context.close();
  });

  test("draws a day that stands alone as a dot that is seen, and says its values", async () => {
    const { page, context } = await openPage(browser, `${web.hub.url}/numbers?window=90d`, {
      viewport: desktop,
      cookies: web.admin,
    });
    const dot = page.locator('#success path.dots[d^="M"]');
    await dot.waitFor({ state: "attached" });
    const look = `(() => { const { strokeWidth, strokeLinecap } = getComputedStyle(document.querySelector("#success path.dots")); return [strokeWidth, strokeLinecap]; })()`;
    expect(await page.evaluate(look)).toEqual(["8px", "round"]);
    expect(await page.locator("#success figcaption").textContent()).toMatch(/completed of all that ended \d+ %$/);
    await context.close();
  });

  test("is for admins", async () => {
    const cookies = await web.visitor("ada");
    const { page, context } = await openPage(browser, `${web.hub.url}/numbers`, { viewport: desktop, cookies });
    await page.getByText("This is for admins of this hub").waitFor();
    await context.close();
  });
});
