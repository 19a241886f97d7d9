import type { RequiredChecks } from "./codehost.ts";

/** A check that must pass before a merge. */
export interface RequiredCheck {
  readonly context: string;
  /** Only this app's check runs count, where it is given. */
  readonly appId?: number;
}

/** What one check run or commit status says about a commit. */
export interface CheckReport {
  readonly context: string;
  readonly appId?: number;
  readonly verdict: "green" | "red" | "pending";
}

/** One red required check makes it red; else one that is missing or unfinished makes it pending. */
export function judgeChecks(required: readonly RequiredCheck[], reports: readonly CheckReport[]): RequiredChecks {
  if (required.length === 0) return "none";
  const verdicts = required.map((check) => {
    const about = reports.filter(
      (report) =>
        report.context === check.context &&
        (check.appId === undefined || report.appId === undefined || report.appId === check.appId),
    );
    if (about.some((report) => report.verdict === "red")) return "red";
    return about.length > 0 && about.every((report) => report.verdict === "green") ? "green" : "pending";
  });
  if (verdicts.includes("red")) return "red";
  return verdicts.includes("pending") ? "pending" : "green";
}

/** The verdict of a check run out of its status and conclusion. */
export function verdictOfRun(status: unknown, conclusion: unknown): CheckReport["verdict"] {
  if (status !== "completed") return "pending";
  if (conclusion === "success" || conclusion === "neutral" || conclusion === "skipped") return "green";
  return conclusion === "stale" || conclusion === null || conclusion === undefined ? "pending" : "red";
}

/** The verdict of a commit status out of its state. */
export function verdictOfStatus(state: unknown): CheckReport["verdict"] {
  if (state === "success") return "green";
  return state === "failure" || state === "error" ? "red" : "pending";
}
