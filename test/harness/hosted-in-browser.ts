import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { launchChromium, type Opened, openPage } from "./chromium.ts";
import { HostedScene, type HostedSceneOptions } from "./hosted-scene.ts";
import { buildApp } from "./web-hub.ts";

/** Hosted nests and a browser, for all tests of the `describe` that asks for it; each test has a hub of its own. */
export interface HostedInBrowser {
  readonly scene: () => HostedScene;
  /** Opens a page of the hub as somebody who is signed in; as nobody without a login. */
  readonly open: (login: string | undefined, path: string, options?: Parameters<typeof openPage>[2]) => Promise<Opened>;
}

const TICK_MS = 50;

/** Starts a scene whose time goes on by itself before each test of the surrounding `describe`, and ends it after it. */
export function hostedInBrowser(options: HostedSceneOptions = {}): HostedInBrowser {
  let browser: Browser | undefined;
  let scene: HostedScene | undefined;
  let clock: NodeJS.Timeout | undefined;
  beforeAll(async () => {
    buildApp();
    browser = await launchChromium();
  }, 60_000);
  afterAll(() => browser?.close());
  beforeEach(async () => {
    const made = await HostedScene.start(options);
    scene = made;
    for (const login of ["ada", "bob", "root"]) await made.user(login);
    let ticking = Promise.resolve();
    clock = setInterval(() => {
      ticking = ticking.then(() => made.hub.clock.jump(TICK_MS));
    }, TICK_MS);
  });
  afterEach(async () => {
    clearInterval(clock);
    await scene?.[Symbol.asyncDispose]();
  });
  const started = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error("the scene is not started yet");
    return part;
  };
  return {
    scene: () => started(scene),
    open: (login, path, more = {}) =>
      openPage(started(browser), started(scene).hub.url + path, {
        viewport: { width: 1280, height: 900 },
        cookies: login === undefined ? [] : [{ name: "nest_hub_user", value: login }],
        ...more,
      }),
  };
}

/** Writes the records of nests as they lie on disk, as a restored hub has them. */
export async function writeRecords(scene: HostedScene, records: readonly { readonly id: string }[]): Promise<void> {
  for (const record of records) {
    const folder = join(scene.hub.folder, "saas/nests", record.id);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "meta.json"), JSON.stringify(record));
  }
}
