import { compileFilters, type Queue } from "@nest/dispatch";
import { TimeSlicer } from "@nest/kit";
import { governor } from "@nest/protocol";
import { compileAll } from "./preview.ts";
import { changed } from "./settings.ts";

export interface ImpactDeps {
  readonly queue: Queue;
  /** The settings in force. */
  readonly settings: governor.GovernorSettings;
  readonly now: () => number;
}

/** How many issues would leave the queue and how many come on offer if a change were saved; a slice at a time. */
export async function impactOf(change: governor.GovernorChange, deps: ImpactDeps): Promise<governor.ImpactReply> {
  const { queue, settings, now } = deps;
  const slicer = new TimeSlicer();
  const after = changed(settings, change);
  const faults: governor.ImpactReply["faults"] = [];
  for (const key of governor.patternKeys) {
    const compiled = await compileAll(key, after[key], slicer);
    faults.push(...compiled.faults.map((fault) => ({ key, ...fault })));
  }
  if (faults.length > 0) return { faults };
  const filter = compileFilters(after);
  let [before, leaving, joining] = [0, 0, 0];
  for (const { key } of [...queue.entries()]) {
    await slicer.pause();
    const issue = queue.entry(key)?.issue;
    if (issue === undefined) continue;
    const reason = await slicer.through(filter.steps(issue));
    const entry = queue.entry(key);
    if (entry === undefined) continue;
    const isOffered = entry.withheld === undefined;
    const wouldBe = queue.wouldOffer(entry, reason, now());
    if (isOffered) before += 1;
    if (isOffered && !wouldBe) leaving += 1;
    if (!isOffered && wouldBe) joining += 1;
  }
  return { offered: { before, after: before - leaving + joining, leaving, joining }, faults };
}
