import { readFileSync } from "node:fs";
import type { Browser, CDPSession } from "playwright-core";

export interface PageMemory {
  /** Objects of the page's scripts, after a collection. */
  readonly heapMb: number;
  /** What the page's process has for itself, as the browser's task manager shows it: without the browser's own code. */
  readonly processMb: number;
}

/** Memory of the one page that a browser shows, after a collection. */
export async function memoryOf(browser: Browser, devtools: CDPSession): Promise<PageMemory> {
  await devtools.send("HeapProfiler.collectGarbage");
  await devtools.send("Performance.enable");
  const { metrics } = await devtools.send("Performance.getMetrics");
  const heap = metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? Number.NaN;
  const ofBrowser = await browser.newBrowserCDPSession();
  const { processInfo } = await ofBrowser.send("SystemInfo.getProcessInfo");
  await ofBrowser.detach();
  const renderers = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => privateMb(id));
  return { heapMb: heap / 1e6, processMb: Math.max(...renderers) };
}

/** Memory that belongs to a process alone, in MB. */
function privateMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  return ((kib("RssAnon") + kib("VmSwap")) * 1024) / 1e6;
}

/** How much a value grows in a minute, by the straight line through its samples (least squares). */
export function growthPerMinute(samples: readonly { readonly atMs: number; readonly value: number }[]): number {
  const mean = (of: (sample: { atMs: number; value: number }) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const [at, value] = [mean(({ atMs }) => atMs), mean((sample) => sample.value)];
  const spread = mean(({ atMs }) => (atMs - at) ** 2);
  return (mean((sample) => (sample.atMs - at) * (sample.value - value)) / spread) * 60_000;
}
