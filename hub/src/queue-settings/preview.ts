import { anchoringOf, compilePattern, MOST_PATTERNS, type Pattern } from "@nest/dispatch";
import { TimeSlicer } from "@nest/kit";
import type { governor } from "@nest/protocol";

/** Something a pattern could match: an issue by one of its texts, or a model. */
export interface Subject {
  readonly texts: readonly string[];
  readonly key?: string;
  readonly title?: string;
}

const MOST_SHOWN = 100;

/** What a list of patterns would match if it were saved now, and which of them could not be saved. */
export async function preview(
  key: governor.PatternKey,
  sources: readonly string[],
  subjects: Iterable<Subject>,
): Promise<governor.PreviewReply> {
  const breath = new TimeSlicer();
  const { patterns, faults } = await compileAll(key, sources, breath);
  const matches: governor.PreviewReply["matches"] = [];
  let of = 0;
  let matched = 0;
  for (const subject of subjects) {
    of += 1;
    const hit = await firstHit(patterns, subject.texts, breath);
    if (hit === undefined) continue;
    matched += 1;
    const { key: item, title } = subject;
    if (matches.length < MOST_SHOWN)
      matches.push({ ...hit, ...(item === undefined ? {} : { key: item }), ...(title === undefined ? {} : { title }) });
  }
  return { key, of, matched, matches, faults };
}

/** Compiles a list with breaths, and says which of its patterns could not be saved. */
export async function compileAll(key: string, sources: readonly string[], breath: TimeSlicer) {
  const patterns: Pattern[] = [];
  const faults: governor.PreviewReply["faults"] = [];
  for (const [index, source] of sources.entries()) {
    if (index >= MOST_PATTERNS) {
      faults.push({ index, pattern: source.slice(0, 200), because: `more than ${MOST_PATTERNS} patterns` });
      break;
    }
    const result = compilePattern(source, anchoringOf(key));
    if (result.kind === "pattern") patterns.push(result.pattern);
    else faults.push({ index, pattern: source.slice(0, 200), because: result.because });
    await breath.pause();
  }
  return { patterns, faults };
}

async function firstHit(patterns: readonly Pattern[], texts: readonly string[], breath: TimeSlicer) {
  for (const text of texts) {
    for (const pattern of patterns) {
      const found = await breath.through(pattern.steps(text));
      if (found) return { subject: text, pattern: pattern.source };
    }
  }
  return undefined;
}
