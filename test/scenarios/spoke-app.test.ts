import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { FolderHere } from "../harness/folder-here.ts";
import { ProcessHere } from "../harness/process-here.ts";
import { buildApp } from "../harness/web-hub.ts";

const missing = isChromiumMissing("the pages of a nest in a browser");
const OWNER = { "x-nest-user": "ada", "x-nest-role": "owner" };

describe.skipIf(missing)("the pages of a nest in a browser", () => {
  let browser: Browser;
  let folder: FolderHere;
  let spoke: ProcessHere;
  let url = "";

  beforeAll(async () => {
    buildApp();
    folder = await FolderHere.make("spoke-app");
    const file = join(folder.path, "nest.yaml");
    const seed = { project: { org: "acme" }, github: { token: "t" }, hub: { enabled: false } };
    await writeFile(file, JSON.stringify({ ...seed, dashboard: { hub_proxied: true } }));
    spoke = new ProcessHere("nest", ["spoke"], {
      NEST_DATA_DIR: join(folder.path, "data"),
      NEST_CONFIG: file,
      NEST_SPOKE_DASHBOARD_PORT: "0",
      NEST_SPOKE_TERMINAL_PORT: "0",
    });
    [, url = ""] = await spoke.says(/^nest-spoke listening on (\S+)$/m);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await spoke?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  test("the one build is served by a nest as well: its own side of it, under the same strict policy", async () => {
    const { page, context, faults } = await openPage(browser, `${url}/overview`, { extraHTTPHeaders: OWNER });
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByText("it reports to none").waitFor();
    await page.getByText("No agents are configured.").waitFor();
    const loaded = await page.evaluate<string[]>("performance.getEntriesByType('resource').map(({ name }) => name)");
    expect(loaded.some((name) => /\/app\/assets\/spoke-[\w-]+\.js$/.test(name))).toBe(true);
    expect(faults).toEqual([]);
    await context.close();
  });

  test.each(["light", "dark"] as const)(
    "a page that there is not is a page, on a phone too (%s)",
    async (colorScheme) => {
      const viewport = { width: 360, height: 740 };
      const { page, context } = await openPage(browser, `${url}/no/such/page`, { colorScheme, viewport });
      await page.getByRole("heading", { name: "There is no such page" }).waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(viewport.width);
      await page.getByRole("link", { name: "To this nest" }).click();
      await page.getByRole("heading", { name: "A nest" }).waitFor();
      await context.close();
    },
  );
});
