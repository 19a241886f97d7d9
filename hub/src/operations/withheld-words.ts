const HOUR_MS = 3_600_000;

/** Every reason for which an issue is not offered, in words that a newcomer understands. */
const words: Readonly<Record<string, string>> = {
  repo_disabled: "its repository is switched off",
  label_filter: "the label filter leaves it out",
  title_filter: "the title filter leaves it out",
  author_filter: "the author filter leaves it out",
  tracker: "it only collects other issues",
  assigned_to_other: "it is assigned to somebody",
  leased: "somebody is working on it",
  operator_hold: "an operator holds it back",
  claimed: "an open pull request claims it",
  connection_lost: "the relay that worked on it lost its connection",
  given_back: "it was given back a moment ago",
  requeued: "an operator took it back a moment ago",
  failed: "the last try at it failed",
  quarantined: "several tries at it failed in a row",
  verifying: "its pull request is being looked at",
  completed: "a pull request for it was opened",
  completed_without_pull_request: "it was completed without a pull request",
  no_work_needed: "there was nothing to do; a change of the issue brings it back",
  blocked: "people have to act on it first",
};

/** A reason in words. */
export function becauseOf(reason: string): string {
  return words[reason] ?? reason.replaceAll("_", " ");
}

/** The whole sentence about one issue: why, by whom or what, and for how long. */
export function withheldSentence(
  withheld: { readonly reason: string; readonly until: number | undefined; readonly detail: string | undefined },
  now: number,
): string {
  const detail = withheld.detail === undefined ? "" : ` (${withheld.detail})`;
  return `${becauseOf(withheld.reason)}${detail}${withheld.until === undefined ? "" : `, for another ${lengthOf(withheld.until - now)}`}`;
}

function lengthOf(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / 60_000));
  if (minutes < 120) return minutes === 1 ? "minute" : `${minutes} minutes`;
  const hours = Math.ceil(ms / HOUR_MS);
  return hours < 72 ? `${hours} hours` : `${Math.ceil(hours / 24)} days`;
}
