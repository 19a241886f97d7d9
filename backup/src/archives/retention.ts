import { madeAt, type StoredArchive } from "./stored-archives.ts";

/** An object under the name of one of this hub's archives. */
type Candidate = Pick<StoredArchive, "name" | "stampedAt" | "modifiedAt"> & {
  /** It was read back with our key and found good. */
  readonly isGood: boolean;
};

export interface RetentionQuestion {
  readonly archives: readonly Candidate[];
  /** How many to keep. */
  readonly keep: number;
  readonly now: number;
  /** Never removed, whatever its age: what was just made, what was last whole. */
  readonly protected: readonly string[];
}

export interface RetentionPlan {
  readonly kept: readonly { readonly name: string; readonly because: string }[];
  /** Oldest first. */
  readonly removed: readonly string[];
  readonly warnings: readonly string[];
}

/** Clocks of machines that make archives differ; more than this is a wrong clock. */
const CLOCK_SLACK_MS = 10 * 60 * 1000;

/**
 * Which archives go and which stay. The newest that were found good stay. An object that never was found good (damaged, of another
 * key, of a stranger, of a run that was ended early) takes the place of none of them: while a good one that stays is older, it is left
 * alone; otherwise it fills what places are left.
 *
 * Names from the future neither count nor go, so one run with a wrong clock can neither push good archives out nor stay the newest
 * for ever; and when our own clock is behind the storage, nothing goes at all.
 */
export function planRetention(question: RetentionQuestion): RetentionPlan {
  const { now, keep } = question;
  const fromFuture = question.archives.filter(({ stampedAt }) => stampedAt > now + CLOCK_SLACK_MS);
  const counted = question.archives
    .filter((archive) => !fromFuture.includes(archive))
    .sort((one, other) => madeAt(other) - madeAt(one) || (one.name < other.name ? 1 : -1));
  const good = counted.filter(({ isGood }) => isGood).slice(0, keep);
  const oldestGood = Math.min(Number.POSITIVE_INFINITY, ...good.map(madeAt));
  const unknown = counted.filter(({ isGood }) => !isGood);
  const beside = unknown.filter((archive) => madeAt(archive) > oldestGood);
  const filling = unknown.filter((archive) => !beside.includes(archive)).slice(0, keep - good.length);
  const reasonFor = (archive: Candidate): string | undefined => {
    if (good.includes(archive) || filling.includes(archive)) return `one of the newest ${keep}`;
    if (beside.includes(archive)) return "never found good; it takes no place";
    if (question.protected.includes(archive.name)) return "the newest that is known to be good";
    return isClockBehind ? "the clock is behind the storage's" : undefined;
  };
  const warnings = fromFuture.map(({ name }) => `${name} is stamped in the future; it is kept and not counted`);
  const newestStored = Math.max(0, ...question.archives.map(({ modifiedAt }) => modifiedAt));
  const isClockBehind = newestStored > now + CLOCK_SLACK_MS;
  if (isClockBehind) warnings.push("this machine's clock is behind the storage's; nothing is removed");
  const kept = fromFuture.map(({ name }) => ({ name, because: "stamped in the future" }));
  const removed: string[] = [];
  for (const archive of counted) {
    const because = reasonFor(archive);
    if (because === undefined) removed.push(archive.name);
    else kept.push({ name: archive.name, because });
  }
  return { kept, removed: removed.reverse(), warnings };
}
