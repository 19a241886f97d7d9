import { parentPort, workerData } from "node:worker_threads";
import { RE2JS } from "re2js";
import type { Built, Found, Progress, Question } from "./pattern-judge.ts";

// The thread that builds and matches the admins' regular expressions while the hub goes on working.

const { progress } = workerData as { readonly progress: Progress };
const expressions = new Map<string, RE2JS>();
/** Expressions kept built: those of all lists together, twice. */
const MOST_KEPT = 2000;

parentPort?.on("message", (question: Question) => {
  parentPort?.postMessage("build" in question ? build(question.build) : find(question));
});

function build(source: string): Built {
  step(0);
  try {
    return { size: expressionOf(source).programSize() };
  } catch (thrown) {
    return { because: thrown instanceof Error ? thrown.message : "not a regular expression" };
  }
}

/** The first expression that each text matches. */
function find({ sources, texts }: Extract<Question, { readonly sources: unknown }>): Found {
  const all = sources.map(expressionOf);
  const hits = texts.map((text) =>
    all.findIndex((expression, place) => {
      step(place);
      return expression.matcher(text).find();
    }),
  );
  return { hits };
}

function expressionOf(source: string): RE2JS {
  const known = expressions.get(source);
  if (known !== undefined) return known;
  if (expressions.size >= MOST_KEPT) expressions.clear();
  const expression = RE2JS.compile(source.slice(1, -1), RE2JS.CASE_INSENSITIVE);
  expressions.set(source, expression);
  return expression;
}

/** Says which expression is worked on, so that the hub can tell which one never ends. */
function step(place: number): void {
  Atomics.add(progress, 0, 1);
  Atomics.store(progress, 1, place);
}
