import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { launchChromium, type Opened, openPage } from "./chromium.ts";
import { NestScene, OWNER } from "./nest-scene.ts";
import { buildApp } from "./web-hub.ts";

/** A working nest and a browser, for all tests of the `describe` that asks for it. */
export interface NestInBrowser {
  readonly scene: () => NestScene;
  /** Opens a page as the nest's owner, unless the options say otherwise. */
  readonly open: (path: string, options?: Parameters<typeof openPage>[2]) => Promise<Opened>;
}

/** Starts both before the tests of the surrounding `describe`, and ends them after it. */
export function nestInBrowser(): NestInBrowser {
  let browser: Browser | undefined;
  let scene: NestScene | undefined;
  beforeAll(async () => {
    buildApp();
    scene = await NestScene.start();
    browser = await launchChromium();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await scene?.[Symbol.asyncDispose]();
  });
  const started = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error("the nest is not started yet");
    return part;
  };
  return {
    scene: () => started(scene),
    open: (path, options = {}) =>
      openPage(started(browser), started(scene).url + path, {
        extraHTTPHeaders: OWNER,
        viewport: { width: 1280, height: 900 },
        ...options,
      }),
  };
}

/** Bytes of compressed script that a page has loaded, and the names of its files. */
export async function scriptsOf({ page }: Pick<Opened, "page">): Promise<{ names: string[]; bytes: number }> {
  const scripts = await page.evaluate<{ name: string; encodedBodySize: number }[]>(
    "performance.getEntriesByType('resource').map(({ name, encodedBodySize }) => ({ name, encodedBodySize })).filter(({ name }) => name.endsWith('.js'))",
  );
  const bytes = scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  return { names: scripts.map(({ name }) => name), bytes };
}
