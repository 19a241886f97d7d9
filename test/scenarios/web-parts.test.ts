import { type ChildProcess, spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { freePorts } from "../harness/folder-here.ts";
import { buildApp } from "../harness/web-hub.ts";

const missing = isChromiumMissing("the parts that pages share, in a browser");
const ROOT = join(import.meta.dirname, "../..");

describe.skipIf(missing)("the parts that pages share", () => {
  let browser: Browser;
  let vite: ChildProcess;
  let url: string;

  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    url = `http://127.0.0.1:${port}/dev/parts`;
    const program = join(ROOT, "node_modules/vite/bin/vite.js");
    const config = ["--config", "web/dev/vite.config.ts", "--logLevel", "warn", "--port", String(port), "--strictPort"];
    vite = spawn(process.execPath, [program, ...config], { cwd: ROOT, stdio: "ignore" });
    browser = await launchChromium();
    const answers = () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      );
    await vi.waitUntil(answers, { timeout: 30_000 });
  });
  afterAll(async () => {
    await browser?.close();
    vite?.kill();
  });

  test.each(["light", "dark"] as const)("each is shown in its states, wide and narrow, %s", async (colorScheme) => {
    const { page, context, faults } = await openPage(browser, url, {
      viewport: { width: 1440, height: 900 },
      colorScheme,
    });
    await page.getByRole("heading", { name: "Parts", exact: true }).waitFor({ timeout: 30_000 });
    const names = await page.locator(".specimen > h2").allTextContents();
    expect(names).toEqual(expect.arrayContaining(["States", "Lists", "Charts", "Save bar", "Dialogs"]));
    const lists = page.getByRole("region", { name: "Lists", exact: true });
    for (const state of ["loading", "error", "empty", "long: 10,000 rows"])
      expect(await lists.getByRole("heading", { name: state }).count()).toBe(1);
    const tooWide = await page.evaluate(
      `[...document.querySelectorAll(".specimen-narrow")].filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.textContent.slice(0, 60))`,
    );
    expect(tooWide).toEqual([]);
    // One of them breaks on purpose, to show what stands in its place.
    expect(faults.filter((fault) => !fault.includes("broken on purpose") && !fault.includes("Breaks"))).toEqual([]);
    await context.close();
  });

  test("a dialog stays open while its change is under way and says when it failed", async () => {
    const { page, context } = await openPage(browser, url);
    await page.getByRole("button", { name: "A dangerous one that fails" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Do it?" });
    await dialog.getByRole("button", { name: "Do it" }).click();
    expect(await dialog.getByRole("button", { name: "Do it" }).getAttribute("data-loading")).toBe("true");
    await dialog.getByText("The code host cannot be reached.").waitFor();
    await context.close();
  });

  test("nothing of it is in what is built", async () => {
    buildApp();
    const files = await readdir(join(ROOT, "web/dist"), { recursive: true });
    expect(files.filter((name) => /(?:^|\/)parts|specimen/.test(name))).toEqual([]);
  });
});
