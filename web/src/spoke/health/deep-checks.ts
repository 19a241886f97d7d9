import { z } from "zod";
import { spoken } from "../../shared/format/format.ts";

/** One check as the nest tells it. */
export interface DeepCheck {
  readonly name: string;
  readonly status: string;
  readonly isGood: boolean;
  readonly detail: string;
}

const Check = z.looseObject({ status: z.string() });
const Checks = z.looseObject({ checks: z.record(z.string(), Check) });

/** What counts as good. Whatever else a nest says is shown as it says it, and not as good. */
const GOOD = new Set(["ok", "pass", "healthy"]);

/** The checks of a nest, whichever it makes; none where the answer has no checks. What else a check says is its detail. */
export function readDeepChecks(text: string): DeepCheck[] {
  const read = Checks.safeParse(readJson(text));
  if (!read.success) return [];
  return Object.entries(read.data.checks).map(([name, { status, ...rest }]) => ({
    name: spoken(name),
    status,
    isGood: GOOD.has(status),
    detail: Object.entries(rest)
      .filter(([, value]) => value !== null && value !== "")
      .map(([key, value]) => (isProse(key) ? String(value) : `${spoken(key)}: ${written(value)}`))
      .join(" · "),
  }));
}

/** Keys whose value is a sentence. */
function isProse(key: string): boolean {
  return key === "detail" || key === "message" || key === "reason";
}

function written(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
