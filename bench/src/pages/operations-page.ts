import { type Browser, type CDPSession, chromium, type Page } from "playwright-core";
import { short, table } from "../figures/table.ts";
import type { LoadAnswer } from "../load/commands.ts";
import { ADMIN_TOKEN, Watcher } from "../load/watcher.ts";
import { seedFor } from "../modes/seed.ts";
import { type DrivenHub, withHub } from "../modes/with-hub.ts";
import { nestHubPeer } from "../peers/nest-hub.ts";
import { residentKib } from "../process/child.ts";
import { CHROMIUM, CHROMIUM_FLAGS } from "./chromium.ts";
import { growthPerMinute, memoryOf, type PageMemory } from "./renderer-memory.ts";
import { frameFigures, type Scrolled, scrollScript } from "./scrolled-frames.ts";

export interface OperationsPageBench {
  readonly relays: number;
  /** How long the page is watched while the fleet works. */
  readonly seconds: number;
  readonly print: (text: string) => void;
  readonly tell: (text: string) => void;
}

export const QUEUED = 50_000;
export const EVENTS_PER_SECOND = 1000;
export const HOLD_MS = 10_000;
const LISTS = ["Connected relays", "Issues on offer", "Tasks under lease", "What happened"] as const;
const SCROLL_MS = 4000;
const MB_LIMIT = 250;
const SNAPSHOT_MS = 2000;

/** A moment of the page: what it was doing, its frames and its memory. */
interface Look {
  readonly atMs: number;
  readonly list: string;
  readonly scrolled: Scrolled;
  readonly memory: PageMemory;
}

/**
 * The operations page in Chromium beside a hub with 10,000 relays and 50,000 issues: frames while its lists are scrolled and memory,
 * first with an idle fleet, then with one that sends 1,000 events a second.
 */
export async function benchOperationsPage({ relays, seconds, print, tell }: OperationsPageBench): Promise<void> {
  const seed = seedFor(relays, QUEUED + tasksIn(seconds + 60));
  tell(`connecting ${relays} relays`);
  await withHub(nestHubPeer, seed, async (hub) => {
    const { host, port } = hub.server.place;
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...CHROMIUM_FLAGS] });
    try {
      const { page, devtools } = await openOperations(browser, `http://${host}:${port}`);
      tell("scrolling while the fleet is idle");
      const quiet = await watch(browser, page, devtools, seconds / 3);
      const { working, answer, streamed } = await whileItWorks(hub, seconds, () => {
        tell(`scrolling while the fleet works, ${seconds} s`);
        return watch(browser, page, devtools, seconds);
      });
      const hubMb = ((await residentKib(hub.server)) ?? Number.NaN) / 1024;
      print(report(quiet, working, { relays, answer, streamed, hubMb }));
    } finally {
      await browser.close();
    }
  });
}

/** Tasks that a fleet at work takes in a time. */
export function tasksIn(seconds: number): number {
  return Math.ceil((EVENTS_PER_SECOND / 5) * seconds);
}

async function openOperations(browser: Browser, url: string): Promise<{ page: Page; devtools: CDPSession }> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    extraHTTPHeaders: { authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  const page = await context.newPage();
  await page.goto(`${url}/operations`);
  for (const label of LISTS.slice(0, 2))
    await page.locator(`.long-list[aria-label="${label}"] [role=listitem]`).first().waitFor({ timeout: 30_000 });
  return { page, devtools: await context.newCDPSession(page) };
}

/** Has the fleet work while `act` runs, with a stream beside it that is only counted. */
async function whileItWorks(hub: DrivenHub, seconds: number, act: () => Promise<Look[]>) {
  await hub.load.tell({ do: "shift", eventsPerSecond: EVENTS_PER_SECOND, holdMs: HOLD_MS }, 10_000);
  // Until as many tasks are under lease as there will be.
  await new Promise((resolve) => setTimeout(resolve, HOLD_MS));
  await using counted = await Watcher.open(hub.server.place);
  // Its first snapshot is not what the stream takes from then on.
  await new Promise((resolve) => setTimeout(resolve, SNAPSHOT_MS));
  const sampled = hub.load.tell({ do: "sample", measureMs: seconds * 1000 }, seconds * 1000 + 30_000);
  const before = counted.watched();
  const working = await act();
  const answer = await sampled;
  const after = counted.watched();
  const streamed = { bytes: (after.bytes - before.bytes) / seconds, events: (after.events - before.events) / seconds };
  return { working, answer, streamed };
}

/** Scrolls one list after the other for a time. */
async function watch(browser: Browser, page: Page, devtools: CDPSession, seconds: number): Promise<Look[]> {
  const looks: Look[] = [];
  const began = performance.now();
  for (let nth = 0; performance.now() - began < seconds * 1000; nth += 1) {
    const list = LISTS[nth % LISTS.length] ?? LISTS[0];
    const isThere = (await page.locator(`.long-list[aria-label="${list}"]`).count()) > 0;
    if (!isThere) continue;
    const scrolled = await page.evaluate<Scrolled>(scrollScript(list, SCROLL_MS));
    looks.push({ atMs: performance.now() - began, list, scrolled, memory: await memoryOf(browser, devtools) });
  }
  return looks;
}

interface Around {
  readonly relays: number;
  /** Resident memory of the hub after a collection, in MiB. */
  readonly hubMb: number;
  readonly answer: LoadAnswer;
  readonly streamed: { readonly bytes: number; readonly events: number };
}

function report(quiet: readonly Look[], working: readonly Look[], { relays, answer, streamed, hubMb }: Around): string {
  const rows = [
    ["idle fleet, all lists", ...frameCells(quiet)],
    ["fleet at work, all lists", ...frameCells(working)],
  ];
  for (const list of LISTS) {
    const looks = working.filter((look) => look.list === list);
    if (looks.length > 0) rows.push([`  ${list}`, ...frameCells(looks)]);
  }
  const most = (of: (memory: PageMemory) => number) => Math.max(...working.map(({ memory }) => of(memory)));
  const growth = (of: (memory: PageMemory) => number) =>
    growthPerMinute(working.map(({ atMs, memory }) => ({ atMs, value: of(memory) })));
  const memoryRows = [
    ["script objects", (memory: PageMemory) => memory.heapMb] as const,
    ["whole process", (memory: PageMemory) => memory.processMb] as const,
  ].map(([what, of]) => [what, short(of(working[0]?.memory ?? NOTHING)), short(most(of)), growth(of).toFixed(1)]);
  const { p50 = Number.NaN, p99 = Number.NaN } = answer.readyToAssign ?? {};
  const odd = Object.entries(answer.odd).map(([what, count]) => `${count} × ${what}`);
  return [
    `${short(relays)} relays, ${short(QUEUED)} issues; ${short(answer.perSecond)} events a second reached the hub; ready to task_assign p50 ${short(p50)} ms, p99 ${short(p99)} ms${odd.length === 0 ? "" : `; ${odd.join(", ")}`}`,
    `one page is sent ${short(streamed.bytes / 1000)} KB and ${short(streamed.events)} events a second; the hub takes ${short(hubMb)} MiB`,
    table(["frames while scrolling", "frames", "median ms", "p95 ms", "over 34 ms", "long tasks", "longest ms"], rows),
    table(["memory of the page", "at first MB", "most MB", "MB a minute more"], memoryRows),
    `${most((memory) => memory.processMb) <= MB_LIMIT ? "within" : "OVER"} the limit of ${MB_LIMIT} MB`,
  ].join("\n");
}

const NOTHING: PageMemory = { heapMb: Number.NaN, processMb: Number.NaN };

function frameCells(looks: readonly Look[]): string[] {
  const { count, median, p95, lateShare, longTasks, longest } = frameFigures(looks.map(({ scrolled }) => scrolled));
  return [
    String(count),
    short(median),
    short(p95),
    `${(lateShare * 100).toFixed(1)} %`,
    String(longTasks),
    longest.toFixed(0),
  ];
}
