import { compileFilters, type PatternJudge, type Queue } from "@nest/dispatch";
import { TimeSlicer } from "@nest/kit";
import { governor } from "@nest/protocol";
import { shownFaultsOf } from "./preview.ts";
import { changed } from "./settings.ts";

export interface ImpactDeps {
  readonly queue: Queue;
  /** The settings in force. */
  readonly settings: governor.GovernorSettings;
  readonly judge: PatternJudge;
  readonly now: () => number;
}

/** Issues that are judged together. */
const ISSUES_A_BATCH = 64;

/** How many issues would leave the queue and how many come on offer if a change were saved; a slice at a time. */
export async function impactOf(change: governor.GovernorChange, deps: ImpactDeps): Promise<governor.ImpactReply> {
  const { queue, settings, judge, now } = deps;
  const slicer = new TimeSlicer();
  const after = changed(settings, change);
  const faults: governor.ImpactReply["faults"] = [];
  for (const key of governor.patternKeys) {
    const ofList = await shownFaultsOf(after[key], judge);
    faults.push(...ofList.map((fault) => ({ key, ...fault })));
  }
  if (faults.length > 0) return { faults };
  const filter = compileFilters(after, judge);
  let [before, leaving, joining] = [0, 0, 0];
  const all = [...queue.entries()];
  for (const [at, { key }] of all.entries()) {
    if (at % ISSUES_A_BATCH === 0) await filter.judge?.(all.slice(at, at + ISSUES_A_BATCH).map(({ issue }) => issue));
    await slicer.pause();
    const entry = queue.entry(key);
    if (entry === undefined) continue;
    const reason = filter(entry.issue);
    const isOffered = entry.withheld === undefined;
    const wouldBe = queue.wouldOffer(entry, reason, now());
    if (isOffered) before += 1;
    if (isOffered && !wouldBe) leaving += 1;
    if (!isOffered && wouldBe) joining += 1;
  }
  return { offered: { before, after: before - leaving + joining, leaving, joining }, faults };
}
