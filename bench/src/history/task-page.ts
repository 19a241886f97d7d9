import { type Browser, chromium, type Page } from "playwright-core";
import { rank } from "../figures/percentiles.ts";
import { short, table } from "../figures/table.ts";
import { CHROMIUM, CHROMIUM_FLAGS } from "../pages/chromium.ts";

/** Milliseconds from the start of the navigation, except where it is said otherwise. */
interface Opened {
  /** The first byte of the page, so how long the server took. */
  readonly answered: number;
  /** The scripts that were asked for before the task are here. */
  readonly scripts: number;
  /** The task was asked for. */
  readonly asked: number;
  /** How long its answer took. */
  readonly answer: number;
  /** What happened to the task stands on the page. */
  readonly shown: number;
}

const WARM_UP = 5;
const VISITS = 25;
const EVENTS = "#events li";

/** Notes when the events of the task are drawn. */
const NOTE_WHEN_SHOWN = `window.whenShown = new Promise((resolve) => {
  new MutationObserver((_, observer) => {
    if (document.querySelector(${JSON.stringify(EVENTS)}) === null) return;
    observer.disconnect();
    requestAnimationFrame(() => resolve(performance.now()));
  }).observe(document, { childList: true, subtree: true });
})`;

const OPENED = `(async () => {
  const shown = await window.whenShown;
  const [page] = performance.getEntriesByType("navigation");
  const all = performance.getEntriesByType("resource");
  const task = all.find(({ name }) => new URL(name).pathname.startsWith("/api/contribute/tasks/"));
  const scripts = all.filter(({ name, startTime }) => name.endsWith(".js") && startTime < task.startTime);
  return {
    answered: page.responseStart,
    scripts: Math.max(...scripts.map(({ responseEnd }) => responseEnd)),
    asked: task.startTime,
    answer: task.responseEnd - task.startTime,
    shown,
  };
})()`;

/** Tasks opened by their addresses in one tab of Chromium, one after the other, with everything that a browser keeps in its cache. */
export async function taskPageFigures(hubUrl: string, ids: readonly string[]): Promise<string> {
  const browser: Browser = await chromium.launch({ executablePath: CHROMIUM, args: [...CHROMIUM_FLAGS] });
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    await context.addInitScript(NOTE_WHEN_SHOWN);
    const page = await context.newPage();
    const visits: Opened[] = [];
    for (let nth = 0; nth < WARM_UP + VISITS; nth += 1) {
      const opened = await visit(page, `${hubUrl}/tasks/${ids[(nth * 13) % ids.length]}`);
      if (nth >= WARM_UP) visits.push(opened);
    }
    return report(visits);
  } finally {
    await browser.close();
  }
}

async function visit(page: Page, address: string): Promise<Opened> {
  await page.goto(address);
  return page.evaluate<Opened>(OPENED);
}

function report(visits: readonly Opened[]): string {
  const row = (what: string, of: (opened: Opened) => number) => {
    const sorted = Float64Array.from(visits.map(of)).sort();
    return [what, short(rank(sorted, 0.5)), short(sorted.at(-1))];
  };
  return table(
    ["a task's page from its address, warm cache", "median ms", "slowest ms"],
    [
      row("the server's first byte", ({ answered }) => answered),
      row("the task is asked for", ({ asked }) => asked),
      row("  the answer took", ({ answer }) => answer),
      row("the scripts of its first lines are here", ({ scripts }) => scripts),
      row("the task's history is drawn", ({ shown }) => shown),
    ],
  );
}
