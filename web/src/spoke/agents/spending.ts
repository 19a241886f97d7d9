import type { nestAgents } from "@nest/protocol";
import { count } from "../../shared/format/format.ts";

/** One thing that is used up over a day. */
export interface Use {
  readonly name: string;
  readonly used: string;
  /** Absent where there is no limit. */
  readonly limit: string | undefined;
  /** How much of the limit is used, 0 to 1. */
  readonly share: number | undefined;
}

/** What was used today. Tokens and cost are left out where no CLI reports any and no limit asks for them. */
export function usesOf({ limits, ...used }: nestAgents.Spending): Use[] {
  const money = (dollars: number) => `$${dollars.toFixed(2)}`;
  const whole = (value: number) => count(Math.round(value));
  return [
    oneUse("Runs", used.runs, limits.runs_per_day, whole),
    oneUse("Minutes", used.minutes, limits.minutes_per_day, whole),
    ...(used.tokens > 0 || limits.tokens_per_day !== undefined
      ? [oneUse("Tokens", used.tokens, limits.tokens_per_day, whole)]
      : []),
    ...(used.cost_usd > 0 || limits.cost_usd_per_day !== undefined
      ? [oneUse("Cost", used.cost_usd, limits.cost_usd_per_day, money)]
      : []),
  ];
}

function oneUse(name: string, used: number, limit: number | undefined, write: (value: number) => string): Use {
  if (limit === undefined) return { name, used: write(used), limit: undefined, share: undefined };
  // Nothing may be used where the limit is nothing: it is used up.
  const share = limit <= 0 ? 1 : Math.min(1, used / limit);
  return { name, used: write(used), limit: write(limit), share };
}
