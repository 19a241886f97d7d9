import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Samples } from "../figures/percentiles.ts";
import { short, table } from "../figures/table.ts";
import { startEmptyCodeHost } from "../process/code-host-here.ts";
import { HubHere } from "../process/hub-here.ts";
import { MUCH_TRIED, type SeededHistory, seedHistory } from "./seed-history.ts";
import { taskPageFigures } from "./task-page.ts";

export interface HistoryBench {
  readonly events: number;
  readonly print: (text: string) => void;
  readonly tell: (text: string) => void;
}

/** The calls that count come after these: the first are the compiler's. */
const WARM_UP = 50;

/** What the pages of a task and of an issue wait for, in a hub with a long history. */
export async function benchHistory({ events, print, tell }: HistoryBench): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "nest-bench-history-"));
  const { codeHost, code } = await startEmptyCodeHost(join(folder, "codehost"));
  try {
    const empty = await HubHere.start(join(folder, "hub"), code);
    await empty.stop();
    const history = seedHistory(join(folder, "hub"), events, tell);
    tell("starting the hub on it");
    const before = performance.now();
    const hub = await HubHere.start(join(folder, "hub"), code);
    const startMs = performance.now() - before;
    try {
      print(await figuresOf(hub, history, startMs, tell));
      tell("a task's page in Chromium");
      print(await taskPageFigures(hub.url, history.ids));
    } finally {
      await hub.stop();
    }
  } finally {
    await codeHost.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function figuresOf(hub: HubHere, history: SeededHistory, startMs: number, tell: (text: string) => void) {
  const { tasks, events, ids, issues, bytes } = history;
  const pages: readonly (readonly [what: string, paths: readonly string[]])[] = [
    ["a task's page", ids.map((id) => `/api/contribute/tasks/${id}`)],
    ["an issue's page", issues.map((number) => `/api/contribute/issues/acme/one/${number}`)],
    [
      `the issue with ${MUCH_TRIED.attempts} attempts`,
      ids.map(() => `/api/contribute/issues/acme/one/${MUCH_TRIED.number}`),
    ],
    ["the newest of the feed", ids.map(() => "/api/contribute/activity?limit=100")],
  ];
  const rows: string[][] = [];
  for (const [what, paths] of pages) {
    tell(what);
    const samples = new Samples();
    for (const [nth, path] of [...paths.slice(0, WARM_UP), ...paths].entries()) {
      const began = performance.now();
      await hub.call("GET", path);
      if (nth >= WARM_UP) samples.add(performance.now() - began);
    }
    const { count, p50, p99 } = samples.sum();
    rows.push([what, String(count), `${short(p50)} ms`, `${short(p99)} ms`]);
  }
  const size = `${tasks.toLocaleString("en")} tasks, ${events.toLocaleString("en")} events, ${Math.round(bytes / 1e6).toLocaleString("en")} MB`;
  return `${size}; the hub starts on it in ${short(startMs / 1000)} s\n${table(["GET over HTTP", "calls", "p50", "p99"], rows)}`;
}
