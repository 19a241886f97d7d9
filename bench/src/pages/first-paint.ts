import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { ratioLine, table } from "../figures/table.ts";
import { startEmptyCodeHost } from "../process/code-host-here.ts";
import { HubHere } from "../process/hub-here.ts";
import { CHROMIUM, CHROMIUM_FLAGS } from "./chromium.ts";

export interface FirstPaintBench {
  readonly print: (text: string) => void;
  readonly tell: (text: string) => void;
}

const NETWORK = { offline: false, latency: 40, downloadThroughput: 200_000, uploadThroughput: 94_000 };
const SLOWER = 4;
const RUNS = 7;
/** Long enough for the last script of a page on that network. */
const WHOLE_MS = 5000;
/** A page that the hub renders itself, without scripts in its way. */
const PEER = "/leaderboard";
const PAGES = ["/operations", "/me", "/my-nests", "/settings", "/audit"];

interface Seen {
  readonly paintMs: number;
  readonly scriptBytes: number;
}

/**
 * When a page first shows something in Chromium at 1.6 Mbit/s with a processor that is four times slower, beside a page that the hub
 * renders without the browser app. The median of seven visits with an empty cache.
 */
export async function benchFirstPaint({ print, tell }: FirstPaintBench): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "nest-bench-paint-"));
  const { codeHost, code } = await startEmptyCodeHost(join(folder, "codehost"));
  tell("starting");
  const hub = await HubHere.start(join(folder, "hub"), code);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...CHROMIUM_FLAGS] });
  try {
    const rows: (readonly [string, Seen])[] = [];
    for (const path of [PEER, ...PAGES]) {
      tell(path);
      rows.push([path, await medianOf(browser, hub.url + path)]);
    }
    const shown = rows.map(([path, { paintMs, scriptBytes }]) => [path, paintMs.toFixed(0), kb(scriptBytes)]);
    print(table(["page, 1.6 Mbit/s, processor 4 times slower", "first paint ms", "script KB"], shown));
    const peer = { name: PEER, value: rows[0]?.[1].paintMs ?? Number.NaN };
    for (const [path, { paintMs }] of rows.slice(1))
      print(ratioLine("first paint", { name: path, value: paintMs }, peer));
  } finally {
    await browser.close();
    await hub.stop();
    await codeHost.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function medianOf(browser: Browser, address: string): Promise<Seen> {
  const all: Seen[] = [];
  for (let run = 0; run < RUNS; run += 1) all.push(await visit(browser, address));
  const middle = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN;
  return {
    paintMs: middle(all.map(({ paintMs }) => paintMs)),
    scriptBytes: middle(all.map(({ scriptBytes }) => scriptBytes)),
  };
}

async function visit(browser: Browser, address: string): Promise<Seen> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send("Network.enable");
    await devtools.send("Network.emulateNetworkConditions", NETWORK);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    await page.goto(address, { waitUntil: "commit" });
    await page.waitForTimeout(WHOLE_MS);
    return await page.evaluate<Seen>(SEEN);
  } finally {
    await context.close();
  }
}

const SEEN = `({
  paintMs: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN,
  scriptBytes: performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".js")).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
})`;

function kb(bytes: number): string {
  return (bytes / 1024).toFixed(0);
}
