/**
 * Prefix of a setting's name; the issue's key follows. The setting records the issue's state at the time it was found
 * blocked.
 */
export const BLOCKED_PREFIX = "blocked:";

/** The state of an issue when a relay reported that people have to act first. */
export interface BlockedIssue {
  readonly at: number;
  /** A digest of the issue's title and text; undefined when they were not known. */
  readonly digest: string | undefined;
  readonly contributorId: string;
}
