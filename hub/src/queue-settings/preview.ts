import { compileList, faultsOf, MOST_PATTERNS, type PatternJudge, type PatternList } from "@nest/dispatch";
import { TimeSlicer } from "@nest/kit";
import type { governor } from "@nest/protocol";

/** Something a pattern could match: an issue by one of its texts, or a model. */
export interface Subject {
  readonly texts: readonly string[];
  readonly key?: string;
  readonly title?: string;
}

const MOST_SHOWN = 100;

/** Subjects in one question to the pattern thread. */
const SUBJECTS_A_BATCH = 64;

/** What a list of patterns would match if it were saved now, and which of them could not be saved. */
export async function preview(
  key: governor.PatternKey,
  sources: readonly string[],
  subjects: readonly Subject[],
  judge: PatternJudge,
): Promise<governor.PreviewReply> {
  const breath = new TimeSlicer();
  const faults = await shownFaultsOf(sources, judge);
  const faulty = new Set(faults.map(({ index }) => index));
  const list = compileList(
    key,
    sources.slice(0, MOST_PATTERNS).filter((_, index) => !faulty.has(index)),
    judge,
  );
  const matches: governor.PreviewReply["matches"] = [];
  let matched = 0;
  for (const [at, { texts, key: item, title }] of subjects.entries()) {
    if (at % SUBJECTS_A_BATCH === 0)
      await list.judge(subjects.slice(at, at + SUBJECTS_A_BATCH).flatMap((subject) => subject.texts));
    await breath.pause();
    const hit = firstHit(list, texts);
    if (hit === undefined) continue;
    matched += 1;
    if (matches.length < MOST_SHOWN)
      matches.push({ ...hit, ...(item === undefined ? {} : { key: item }), ...(title === undefined ? {} : { title }) });
  }
  return { key, of: subjects.length, matched, matches, faults };
}

/** Which patterns of a list could not be saved, with as much of them as a page shows. */
export async function shownFaultsOf(sources: readonly string[], judge: PatternJudge) {
  const faults = await faultsOf(sources, judge);
  return faults.map(({ index, because }) => ({ index, pattern: (sources[index] ?? "").slice(0, 200), because }));
}

function firstHit(list: PatternList, texts: readonly string[]) {
  for (const subject of texts) {
    const verdict = list.verdict(subject);
    if (typeof verdict === "object") return { subject, pattern: verdict.pattern };
  }
  return undefined;
}
