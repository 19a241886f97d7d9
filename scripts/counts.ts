import { readFileSync, writeFileSync } from "node:fs";

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** The line that a machine reads at the end of a run. */
export function closingLine(counts: Counts): string {
  return `${counts.passed} passed, ${counts.failed} failed`;
}

/** Writes the counts for the program that started the run. */
export function writeCounts(file: string, counts: Counts): void {
  writeFileSync(file, JSON.stringify(counts));
}

/**
 * The result of `npm test`: the counts of the run, one more failure if checks failed, and at least one failure if the run
 * wrote no counts, counted no test or ended with an error.
 */
export function outcome(run: { file: string; exitCode: number | null; checksFailed: boolean }): Counts {
  const counts = readCounts(run.file);
  const failed = counts.failed + (run.checksFailed ? 1 : 0);
  const isBad = run.exitCode !== 0 || counts.passed + counts.failed === 0;
  return { passed: counts.passed, failed: failed === 0 && isBad ? 1 : failed };
}

function readCounts(file: string): Counts {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return { passed: 0, failed: 0 };
  }
}
