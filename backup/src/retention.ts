/** An archive of this hub in the storage. */
interface StoredArchive {
  readonly name: string;
  /** What its name says. */
  readonly stampedAt: number;
  /** What the storage says. */
  readonly modifiedAt: number;
}

export interface RetentionQuestion {
  readonly archives: readonly StoredArchive[];
  /** How many to keep. */
  readonly keep: number;
  readonly now: number;
  /** Never removed, whatever its age: what was just made, what was last found good. */
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
 * Which archives go and which stay. Names from the future neither count nor go, so one run with a wrong clock can neither push
 * good archives out nor stay the newest for ever; and when our own clock is behind the storage, nothing goes at all.
 */
export function planRetention(question: RetentionQuestion): RetentionPlan {
  const { now, keep } = question;
  const fromFuture = question.archives.filter(({ stampedAt }) => stampedAt > now + CLOCK_SLACK_MS);
  const counted = question.archives
    .filter((archive) => !fromFuture.includes(archive))
    .sort((one, other) => ageOf(other) - ageOf(one) || (one.name < other.name ? 1 : -1));
  const warnings = fromFuture.map(({ name }) => `${name} is stamped in the future; it is kept and not counted`);
  const newestStored = Math.max(0, ...question.archives.map(({ modifiedAt }) => modifiedAt));
  const isClockBehind = newestStored > now + CLOCK_SLACK_MS;
  if (isClockBehind) warnings.push("this machine's clock is behind the storage's; nothing is removed");
  const kept = fromFuture.map(({ name }) => ({ name, because: "stamped in the future" }));
  const removed: string[] = [];
  counted.forEach(({ name }, place) => {
    if (place < keep) kept.push({ name, because: `one of the newest ${keep}` });
    else if (question.protected.includes(name)) kept.push({ name, because: "the newest that is known to be good" });
    else if (isClockBehind) kept.push({ name, because: "the clock is behind the storage's" });
    else removed.push(name);
  });
  return { kept, removed: removed.reverse(), warnings };
}

/** The earlier of both times: a name cannot make an archive newer than it is. */
function ageOf({ stampedAt, modifiedAt }: StoredArchive): number {
  return Math.min(stampedAt, modifiedAt);
}
