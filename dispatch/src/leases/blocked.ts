/** Settings named with this and an issue's key say how the issue was when it was found blocked. */
export const BLOCKED_PREFIX = "blocked:";

/** An issue as it was when a relay said that people have to act first. */
export interface BlockedIssue {
  readonly at: number;
  /** A digest of its title and text; undefined when they were not known. */
  readonly digest: string | undefined;
  readonly contributorId: string;
}
