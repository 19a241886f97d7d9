import { describeWithheld } from "@nest/protocol";

const HOUR_MS = 3_600_000;

/** A full sentence on why an issue is withheld: the reason, whose doing it is where that is told, its cause, and for how long. */
export function withheldSentence(
  withheld: {
    readonly reason: string;
    readonly until: number | undefined;
    readonly detail: string | undefined;
    readonly by?: string | undefined;
  },
  now: number,
): string {
  const detail = withheld.detail === undefined ? "" : ` (${withheld.detail})`;
  return `${describeWithheld(withheld.reason, withheld.by).because}${detail}${withheld.until === undefined ? "" : `, for another ${lengthOf(withheld.until - now)}`}`;
}

function lengthOf(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / 60_000));
  if (minutes < 120) return minutes === 1 ? "minute" : `${minutes} minutes`;
  const hours = Math.ceil(ms / HOUR_MS);
  return hours < 72 ? `${hours} hours` : `${Math.ceil(hours / 24)} days`;
}
