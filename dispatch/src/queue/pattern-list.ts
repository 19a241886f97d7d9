import { NestError } from "@nest/kit";
import type { Built, PatternJudge } from "./pattern-judge.ts";
import { type Anchoring, isExpression, MOST_PATTERNS, refusedUnread, subjectOf, wildcard } from "./patterns.ts";

/** A regular expression takes the thread at most its size times the text's length, in steps. */
const LARGEST_EXPRESSION = 300;
/** All patterns of one list together. */
const LARGEST_LIST = 6000;
/** Steps that one message asks for: a few dozen milliseconds of the thread, so that nobody waits long for a turn. */
const STEPS_A_MESSAGE = 2_000_000;
/** Texts whose verdict a list remembers: more than all who judge at once have in hand. */
const MOST_REMEMBERED = 50_000;

/** What a list says of a text: the pattern that matches, that none does, or that the thread has not gone through it. */
export type Verdict = { readonly pattern: string } | "none" | "unjudged";

/**
 * A list of patterns as an admin wrote it. Wildcards answer at once, regular expressions after {@link judge} has had the thread
 * match them: each text once.
 */
export class PatternList {
  readonly sources: readonly string[];
  readonly #judge: PatternJudge | undefined;
  readonly #wildcards: readonly { readonly pattern: string; matches(text: string): boolean }[];
  readonly #expressions: readonly string[];
  readonly #verdicts = new Map<string, Verdict>();

  /** Without a judge its regular expressions stay unjudged. */
  constructor(sources: readonly string[], anchoring: Anchoring, judge: PatternJudge | undefined) {
    this.sources = sources;
    this.#judge = judge;
    this.#expressions = sources.filter(isExpression);
    this.#wildcards = sources
      .filter((source) => !isExpression(source))
      .map((pattern) => ({ pattern, matches: wildcard(pattern, anchoring) }));
  }

  /** Whether all is known at once. */
  get isImmediate(): boolean {
    return this.#expressions.length === 0;
  }

  verdict(text: string): Verdict {
    const hit = this.#wildcards.find(({ matches }) => matches(text));
    if (hit !== undefined) return hit;
    return this.isImmediate ? "none" : (this.#verdicts.get(subjectOf(text)) ?? "unjudged");
  }

  /** Whether one of the texts is listed; undefined while that is unjudged. */
  lists(texts: readonly string[]): boolean | undefined {
    const verdicts = texts.map((text) => this.verdict(text));
    if (verdicts.some((verdict) => typeof verdict === "object")) return true;
    return verdicts.includes("unjudged") ? undefined : false;
  }

  /** Has texts matched with the expressions. Those that cannot be stay unjudged, and are tried again the next time. */
  async judge(texts: readonly string[]): Promise<void> {
    if (this.#judge === undefined || this.isImmediate) return;
    const unjudged = new Set<string>();
    for (const subject of texts.map(subjectOf)) {
      const known = this.#verdicts.get(subject);
      if (known === undefined) unjudged.add(subject);
      else this.#remember(subject, known);
    }
    const most = STEPS_A_MESSAGE / this.#expressions.reduce((sum, source) => sum + this.#sizeOf(source), 0);
    let message: string[] = [];
    let length = 0;
    for (const subject of unjudged) {
      message.push(subject);
      length += subject.length + 1;
      if (length < most) continue;
      await this.#match(message);
      [message, length] = [[], 0];
    }
    if (message.length > 0) await this.#match(message);
  }

  async #match(subjects: readonly string[]): Promise<void> {
    const hits = (await this.#judge?.firstHits(this.#expressions, subjects)) ?? [];
    for (const [at, hit] of hits.entries()) {
      const pattern = this.#expressions[hit];
      this.#remember(subjects[at] as string, pattern === undefined ? "none" : { pattern });
    }
  }

  /** The longest unused one goes. */
  #remember(subject: string, verdict: Verdict): void {
    this.#verdicts.delete(subject);
    this.#verdicts.set(subject, verdict);
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size > MOST_REMEMBERED && oldest !== undefined) this.#verdicts.delete(oldest);
  }

  #sizeOf(source: string): number {
    const built = this.#judge?.built(source);
    return built !== undefined && "size" in built ? built.size : LARGEST_EXPRESSION;
  }
}

/** A pattern that cannot be saved. */
export interface PatternFault {
  readonly index: number;
  readonly because: string;
}

/** How a pattern without `*` is meant, by the key of its list. */
function anchoringOf(key: string): Anchoring {
  return key === "contribute_deny_titles" ? "substring" : "whole";
}

/** Builds a list's expressions where that was not done yet, and says which patterns cannot be saved. */
export async function faultsOf(sources: readonly string[], judge: PatternJudge): Promise<PatternFault[]> {
  const faults: PatternFault[] = [];
  let size = 0;
  for (const [index, source] of sources.slice(0, MOST_PATTERNS).entries()) {
    const built = await buildAny(source, judge);
    const itself = refusal(built);
    if (itself === undefined && "size" in built) size += built.size;
    const because = itself ?? (size > LARGEST_LIST ? "with those before it too costly to match" : undefined);
    if (because !== undefined) faults.push({ index, because });
  }
  if (sources.length > MOST_PATTERNS) faults.push({ index: MOST_PATTERNS, because: tooMany() });
  return faults;
}

function buildAny(source: string, judge: PatternJudge): Built | Promise<Built> {
  const because = refusedUnread(source);
  if (because !== undefined) return { because };
  return isExpression(source) ? judge.build(source) : { size: 1 };
}

function refusal(built: Built): string | undefined {
  if ("because" in built) return built.because.replace(/\s+/g, " ").slice(0, 200);
  if (built.size <= LARGEST_EXPRESSION) return undefined;
  return `too costly to match: its repeats and classes come to the length of ${built.size}, at most ${LARGEST_EXPRESSION}: use smaller repeat counts`;
}

function tooMany(): string {
  return `more than ${MOST_PATTERNS} patterns`;
}

/** Whether a list can be made at once: its expressions have been built. */
export function isBuilt(sources: readonly string[], judge: PatternJudge): boolean {
  return sources.every((source) => !isExpression(source) || judge.built(source) !== undefined);
}

/**
 * A list of patterns, refused for what is known of them by now.
 *
 * @throws NestError `invalid_pattern`.
 */
export function compileList(key: string, sources: readonly string[], judge?: PatternJudge): PatternList {
  if (sources.length > MOST_PATTERNS) throw invalidPattern(key, { index: MOST_PATTERNS, because: tooMany() });
  for (const [index, source] of sources.entries()) {
    const built = isExpression(source) ? judge?.built(source) : undefined;
    const because = refusedUnread(source) ?? (built === undefined ? undefined : refusal(built));
    if (because !== undefined) throw invalidPattern(key, { index, because });
  }
  return new PatternList(sources, anchoringOf(key), judge);
}

/** A pattern that cannot be saved: which one, and why. */
export function invalidPattern(key: string, { index, because }: PatternFault): NestError {
  const place = index < MOST_PATTERNS ? `${key}[${index}]` : key;
  return new NestError("invalid_pattern", `${place}: ${because}`, {
    hint: "use * as a wildcard, or a regular expression in RE2 syntax between slashes",
  });
}
