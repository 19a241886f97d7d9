import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isChromiumMissing, launchChromium } from "../harness/chromium.ts";
import { FolderHere } from "../harness/folder-here.ts";
import type { ProcessHere } from "../harness/process-here.ts";
import { signInHere } from "../harness/sign-in-here.ts";
import { UpHere } from "../harness/up-here.ts";
import { buildApp } from "../harness/web-hub.ts";

const IMAGES = join(import.meta.dirname, "../../docs/images");
const OWNER = "ada-fern";
const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 360, height: 740 } } as const;

const missing = isChromiumMissing("the browser app of nest up");

describe.skipIf(missing)("the browser app of nest up", () => {
  let folder: FolderHere;
  let up: UpHere;
  let running: ProcessHere;
  let browser: Browser;

  beforeAll(async () => {
    buildApp();
    folder = await FolderHere.make("web");
    up = await UpHere.make(folder.path, ["-pace", "400"]);
    running = up.start();
    browser = await launchChromium();
    await running.says(/^Nest is running\.$/m);
  });
  afterAll(async () => {
    await browser?.close();
    await running?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  const signIn = (context: BrowserContext) => signInHere(context, { hubUrl: up.hubUrl, login: OWNER });

  test("the person who started it signs in by a code and can suspend the hub: nothing more is handed out", async () => {
    const context = await browser.newContext({ viewport: sizes.desktop });
    const page = await signIn(context);
    await page.locator("#activity").getByText("and the hub verified it").first().waitFor({ timeout: 20_000 });
    await page.getByRole("switch", { name: "Hand out work" }).click({ force: true });
    await page.getByText("Handing out is suspended.").waitFor();
    await page.getByText("Nothing is under way.").waitFor({ timeout: 20_000 });
    await expect.poll(() => page.locator("#relays .state").textContent(), { timeout: 10_000 }).toBe("idle: suspended");
    await page.getByRole("switch", { name: "Hand out work" }).click({ force: true });
    await page.locator("#tasks").getByText("working").waitFor({ timeout: 20_000 });
    await context.close();
  }, 90_000);

  test.runIf(process.env.NEST_UPDATE_IMAGES === "1")(
    "its pictures for the documents are taken",
    async () => {
      await mkdir(IMAGES, { recursive: true });
      await expect.poll(() => up.verified().then((urls) => urls.length), { timeout: 60_000 }).toBeGreaterThan(5);
      const context = await browser.newContext({ viewport: sizes.desktop });
      const page = await signIn(context);
      const shoot = async (
        path: string,
        name: string,
        shows: string,
        look: "light" | "dark",
        size: keyof typeof sizes,
      ) => {
        await page.setViewportSize(sizes[size]);
        await page.emulateMedia({ colorScheme: look });
        await page.goto(up.hubUrl + path, { waitUntil: "commit" });
        await page.locator(shows).first().waitFor({ timeout: 15_000 });
        await page.waitForTimeout(800);
        await page.screenshot({ path: join(IMAGES, `web-${name}.png`), animations: "disabled" });
      };
      await shoot("/operations", "operations-light", "#tasks .long-row", "light", "desktop");
      await shoot("/operations", "operations-dark", "#tasks .long-row", "dark", "desktop");
      await shoot("/operations", "operations-phone", "#queue .long-row", "dark", "phone");
      const first = async (part: string) => (await page.locator(part).first().getAttribute("href")) ?? "";
      const task = await first("#tasks a[href^='/tasks/']");
      const issue = await first("#queue a[href^='/issues/']");
      await shoot(task, "task", "#lease", "dark", "desktop");
      await shoot(issue, "issue", "#rules", "light", "desktop");
      await shoot(`/contributors/${OWNER}`, "contributor", "#history .long-row", "light", "desktop");
      await shoot("/contributors", "contributors-phone", ".people-row", "light", "phone");
      await shoot("/contribute", "contribute-phone", "#counters", "light", "phone");
      await shoot("/leaderboard", "leaderboard-phone", ".ranks", "dark", "phone");
      await shoot("/login", "login-phone", "#begin", "dark", "phone");
      await page.setViewportSize(sizes.desktop);
      await page.emulateMedia({ colorScheme: "light" });
      await page.goto(`${up.hubUrl}/settings`);
      await page.getByLabel("Titles to leave out").fill("*clock*\n/^the .* is/");
      await page
        .getByText(/^Matches \d+ of/)
        .first()
        .waitFor();
      await page.locator("#filters").scrollIntoViewIfNeeded();
      await page.waitForTimeout(800);
      await page.screenshot({ path: join(IMAGES, "web-settings.png"), animations: "disabled" });
      await page.getByRole("button", { name: "Review and save" }).click();
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Saved. It is in force now.").waitFor();
      await shoot("/audit", "audit", ".audit-row", "dark", "desktop");
      await context.close();
    },
    120_000,
  );
});
