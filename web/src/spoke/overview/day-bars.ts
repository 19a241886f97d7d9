import type { nestRuns } from "@nest/protocol";
import type { z } from "zod";
import type { Bar, Tone } from "../../shared/charts/stacked-bars.tsx";
import { count, plural } from "../../shared/format/format.ts";
import { outcomeOf } from "../runs/outcome-words.ts";

export type RunDay = z.infer<typeof nestRuns.RunDay>;

const TONES: readonly Tone[] = ["good", "warn", "bad", "quiet"];

/** Runs of each day by how they ended. */
export function outcomeBars(days: readonly RunDay[]): Bar[] {
  return days.map(({ day, runs, outcomes }) => {
    const ended = Object.entries(outcomes);
    const said = ended.map(([outcome, times]) => `${count(times)} ${outcomeOf(outcome).words}`);
    const underWay = runs - ended.reduce((sum, [, times]) => sum + times, 0);
    if (underWay > 0) said.push(`${count(underWay)} under way`);
    return {
      key: day,
      label: labelOf(day),
      parts: TONES.map((tone) => ({
        tone,
        value: ended.reduce((sum, [outcome, times]) => (outcomeOf(outcome).tone === tone ? sum + times : sum), 0),
      })),
      words: `${labelOf(day)}: ${[plural(runs, "run"), ...said].join(", ")}`,
    };
  });
}

/** Tokens of each day, and what they cost. */
export function tokenBars(days: readonly RunDay[]): Bar[] {
  return days.map(({ day, tokens, cost_usd: cost, minutes }) => ({
    key: day,
    label: labelOf(day),
    parts: [{ tone: "good" as const, value: tokens }],
    words: `${labelOf(day)}: ${plural(tokens, "token")}, $${cost.toFixed(2)}, ${plural(Math.round(minutes), "minute")}`,
  }));
}

/** `22 Nov`. Days are UTC. */
function labelOf(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
}
