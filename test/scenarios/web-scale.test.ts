import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isChromiumMissing, launchChromium, openPage } from "../harness/chromium.ts";
import { WebHub } from "../harness/web-hub.ts";

const ISSUES = 20_000;
const RELAYS = 2000;
/** Sockets that one address may have waiting for authentication. */
const AT_ONCE = 50;
/** Elements of the whole page, however long its lists are. */
const MOST_ELEMENTS = 1500;

const missing = isChromiumMissing("the browser app with long lists");

describe.skipIf(missing)(`the operations page with ${ISSUES} issues and ${RELAYS} relays`, () => {
  let browser: Browser;
  let web: WebHub;

  beforeAll(async () => {
    web = await WebHub.start({ issues: ISSUES });
    for (let from = 0; from < RELAYS; from += AT_ONCE) {
      const batch = Array.from({ length: AT_ONCE }, (_, nth) => `relay-${String(from + nth).padStart(4, "0")}`);
      await Promise.all(batch.map((login) => web.hub.relay(login, { model: `model-${login}` })));
    }
    browser = await launchChromium();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await web?.[Symbol.asyncDispose]();
  });

  /** Scrolls a list from end to end in steps, each a frame; answers with the most elements there were, and the long tasks. */
  function scroll(
    page: Page,
    label: string,
  ): Promise<{ elements: number; longTasks: number[]; frames: number; ms: number }> {
    return page.evaluate(`(async () => {
      const box = document.querySelector('.long-list[aria-label="${label}"]');
      const longTasks = [];
      const watch = new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((one) => Math.round(one.duration))));
      watch.observe({ entryTypes: ["longtask"] });
      let elements = 0;
      const frames = 120;
      const began = performance.now();
      for (let frame = 0; frame <= frames; frame += 1) {
        box.scrollTop = (box.scrollHeight - box.clientHeight) * frame / frames;
        await new Promise((resolve) => requestAnimationFrame(resolve));
        elements = Math.max(elements, document.querySelectorAll("*").length);
      }
      const ms = Math.round(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 500));
      watch.disconnect();
      return { elements, longTasks, frames, ms };
    })()`);
  }

  test("only the rows that are seen exist, wherever one scrolls, and the last row is the last", async () => {
    const { page, context, faults } = await openPage(browser, `${web.hub.url}/operations`, {
      viewport: { width: 1280, height: 900 },
      cookies: web.admin,
    });
    await page.getByText("acme/one#1", { exact: true }).waitFor({ timeout: 20_000 });
    await page.getByRole("button", { name: "relay-0000" }).waitFor({ timeout: 20_000 });
    const queue = await scroll(page, "Issues on offer");
    await page.getByText(`acme/one#${ISSUES}`, { exact: true }).waitFor();
    const relays = await scroll(page, "Connected relays");
    await page.getByRole("button", { name: "relay-1999" }).waitFor();
    console.log(`scrolled ${ISSUES} issues: ${JSON.stringify(queue)}; ${RELAYS} relays: ${JSON.stringify(relays)}`);
    expect(queue.elements).toBeLessThan(MOST_ELEMENTS);
    expect(relays.elements).toBeLessThan(MOST_ELEMENTS);
    expect(faults).toEqual([]);
    await context.close();
  }, 60_000);

  test("one relay's change is told in a message of its size, not of the fleet's", async () => {
    const stop = new AbortController();
    const response = await fetch(`${web.hub.url}/api/contribute/events?fleet=changes`, { signal: stop.signal });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const until = async (mark: string) => {
      while (!text.includes(mark)) text += (await reader.read()).value ?? "";
    };
    await until("event: work");
    await until("\n\n");
    await web.hub.relay("one-more");
    text = text.slice(-10);
    await until("event: changes");
    await until("one-more");
    const changes = text.slice(text.lastIndexOf("event: changes"));
    expect(changes.length).toBeLessThan(5000);
    stop.abort();
  }, 30_000);
});
