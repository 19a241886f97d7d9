import type { nestAgents } from "@nest/protocol";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { NestScene, OWNER } from "../harness/nest-scene.ts";
import { buildApp } from "../harness/web-hub.ts";

const missing = isChromiumMissing("the pages of a working nest in a browser");

describe.skipIf(missing)("the dashboard of a nest whose agents work", () => {
  let browser: Browser;
  let scene: NestScene;

  beforeAll(async () => {
    buildApp();
    scene = await NestScene.start();
    browser = await launchChromium();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await scene?.[Symbol.asyncDispose]();
  });

  const open = (path: string, options: Parameters<typeof openPage>[2] = {}) =>
    openPage(browser, scene.url + path, {
      extraHTTPHeaders: OWNER,
      viewport: { width: 1280, height: 900 },
      ...options,
    });
  const card = (page: Page, agent: string) => page.getByRole("region", { name: new RegExp(`^${agent}`) });
  const agents = () => scene.call<ReturnType<(typeof nestAgents.agents)["reply"]["parse"]>>("GET", "/api/agents");

  test("the overview tells mode, queue and agents, and each number leads to what it counts", async () => {
    const { page, context } = await open("/overview");
    await page.getByText("above 10 actionable").waitFor();
    await page.getByRole("link", { name: "actionable" }).click();
    await page.waitForURL(/\/queue\?show=actionable$/);
    await page.getByRole("listitem").first().waitFor();
    await context.close();
  });
  test("an agent is paused with a note and an end, and goes on", async () => {
    const { page, context } = await open("/agents");
    await page.getByRole("button", { name: "Pause builder" }).click();
    await page.getByLabel("Why").fill("a look at its tests");
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await card(page, "builder").getByText("a look at its tests").waitFor();
    expect((await agents()).agents[0]?.pause).toMatchObject({ cause: "person", by: "ada" });
    await page.getByRole("button", { name: "Resume builder" }).click();
    await page.getByRole("button", { name: "Pause builder" }).waitFor();
    expect((await agents()).agents[0]?.pause).toBeUndefined();
    await context.close();
  });
});
