import { madeAt, type StoredArchive } from "./stored-archives.ts";

/** An object with the name of one of this hub's archives. */
type Candidate = Pick<StoredArchive, "name" | "stampedAt" | "modifiedAt"> & {
  /** Whether it was read back with our key and verified. */
  readonly isGood: boolean;
};

export interface RetentionQuestion {
  readonly archives: readonly Candidate[];
  readonly keep: number;
  readonly now: number;
  /** Archives that are never removed, whatever their age: the one just made, and the last whole one. */
  readonly protected: readonly string[];
}

export interface RetentionPlan {
  readonly kept: readonly { readonly name: string; readonly because: string }[];
  /** Oldest first. */
  readonly removed: readonly string[];
  readonly warnings: readonly string[];
}

/** Clocks of machines that make archives differ; a larger difference means that a clock is wrong. */
const CLOCK_SLACK_MS = 10 * 60 * 1000;

/**
 * Decides which archives to remove. The newest verified ones are kept. An unverified object (damaged, sealed with another
 * key, written by somebody else, left by an interrupted run) never displaces a verified one: it is kept as long as an older
 * verified archive is kept, and otherwise only if fewer than `keep` are verified.
 *
 * An object whose name is in the future is neither counted nor removed, so one run with a wrong clock can neither displace
 * good archives nor stay the newest for ever. If our own clock is behind the storage's, nothing is removed.
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
