import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { launchChromium, type Opened, openPage } from "./chromium.ts";
import type { TestHub } from "./hub.ts";
import { WebHub } from "./web-hub.ts";

type HubOptions = Parameters<typeof WebHub.start>[0];

/** A browser for all tests of the `describe` that asks for it, and a hub for each of them. */
export interface HubInBrowser {
  /** The hub of the test that runs. */
  readonly hub: TestHub;
  readonly web: WebHub;
  /** Opens a page as the hub's admin, unless the options say otherwise. */
  readonly open: (path: string, options?: Parameters<typeof openPage>[2]) => Promise<Opened>;
}

/** Starts the browser before the tests of the surrounding `describe` and a hub before each; ends them after it. */
export function hubInBrowser(options: HubOptions | (() => HubOptions)): HubInBrowser {
  let browser: Browser | undefined;
  let web: WebHub | undefined;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    web = await WebHub.start(typeof options === "function" ? options() : options);
  });
  afterEach(() => web?.[Symbol.asyncDispose]());
  const started = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error("the hub is not started yet");
    return part;
  };
  return {
    get hub() {
      return started(web).hub;
    },
    get web() {
      return started(web);
    },
    open: (path, more = {}) =>
      openPage(started(browser), started(web).hub.url + path, {
        viewport: { width: 1280, height: 900 },
        cookies: started(web).admin,
        ...more,
      }),
  };
}
