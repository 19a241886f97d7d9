// Reasons, described once: why an issue is not offered, why a relay gets no work, how a task ended. Pages load this file without
// a bundler: it imports nothing that is there when it runs.
import type { Tone } from "./activity.ts";

interface Reason {
  /** A word or two, beside a number or in a list. */
  readonly label: string;
  /** A clause that a newcomer understands. */
  readonly because: string;
  /** What the operator who is named before it does, of a reason that is an operator's doing. */
  readonly does?: string;
}

const withheld = {
  repo_disabled: { label: "in a repository that is off", because: "its repository is switched off" },
  label_filter: { label: "left out by label", because: "the label filter leaves it out" },
  title_filter: { label: "left out by title", because: "the title filter leaves it out" },
  author_filter: { label: "left out by author", because: "the author filter leaves it out" },
  tracker: { label: "trackers", because: "it only collects other issues" },
  assigned_to_other: { label: "assigned to somebody", because: "it is assigned to somebody" },
  leased: { label: "in progress", because: "somebody is working on it" },
  repo_paused: {
    label: "in a paused repository",
    because: "an operator has paused its repository",
    does: "has paused its repository",
  },
  operator_hold: { label: "held by an operator", because: "an operator holds it back", does: "holds it back" },
  claimed: { label: "claimed by a pull request", because: "an open pull request claims it" },
  connection_lost: { label: "connection lost", because: "the relay that worked on it lost its connection" },
  given_back: { label: "given back", because: "it was given back a moment ago" },
  requeued: { label: "taken back", because: "an operator took it back a moment ago" },
  failed: { label: "failed lately", because: "the last try at it failed" },
  quarantined: { label: "failed repeatedly", because: "several tries at it failed in a row" },
  verifying: { label: "being verified", because: "its pull request is being looked at" },
  completed: { label: "completed", because: "a pull request for it was opened" },
  completed_without_pull_request: {
    label: "completed without a pull request",
    because: "it was completed without a pull request",
  },
  no_work_needed: {
    label: "nothing to do",
    because: "there was nothing to do; a change of the issue brings it back",
  },
  blocked: { label: "blocked", because: "people have to act on it first" },
} as const satisfies Readonly<Record<string, Reason>>;

/** Why an issue is not offered. */
export type WithheldReason = keyof typeof withheld;
export const withheldReasons = Object.keys(withheld) as readonly WithheldReason[];

/** Why an issue is not offered, in words; `by` names the operator whose doing it is. A reason of a newer hub reads as its name. */
export function describeWithheld(reason: string, by?: string): Reason {
  const { label, because, does } = described(withheld, reason);
  return { label, because: by === undefined || does === undefined ? because : `${by} ${does}` };
}

interface Refusal extends Reason {
  /** True when a relay that got this answer may be sent work later without asking again. */
  readonly isWorthWaiting: boolean;
}

const refusals = {
  no_matching_work: {
    label: "no matching work",
    because: "no matching work in the queue",
    isWorthWaiting: true,
  },
  contribution_suspended: {
    label: "suspended",
    because: "the hub's admins have suspended the handing out of work",
    isWorthWaiting: true,
  },
  tier_disabled: { label: "tier off", because: "your trust tier gets no work at the moment", isWorthWaiting: true },
  paused: { label: "paused by an admin", because: "an admin of the hub has paused you for now", isWorthWaiting: true },
  concurrency_limit: {
    label: "limit of tasks at once",
    because: "you already hold as many tasks as your tier allows",
    isWorthWaiting: false,
  },
  hourly_limit: {
    label: "hourly limit",
    because: "your tier's limit for this hour is used up",
    isWorthWaiting: false,
  },
  daily_limit: { label: "daily limit", because: "your tier's limit for today is used up", isWorthWaiting: false },
  hub_not_ready: {
    label: "hub not ready",
    because: "the hub has not read its repositories yet",
    isWorthWaiting: true,
  },
  contributor_failure_streak: {
    label: "paused after failures",
    because: "you are paused after several quick failures in a row",
    isWorthWaiting: false,
  },
} as const satisfies Readonly<Record<string, Refusal>>;

/** Why a relay that asked gets no work. */
export type UnavailableReason = keyof typeof refusals;
export const unavailableReasons = Object.keys(refusals) as readonly UnavailableReason[];

/** Why a relay gets no work, in words to its contributor. A reason of a newer hub reads as its name. */
export function describeUnavailable(reason: string): Reason {
  return described(refusals, reason);
}

/** Whether this release knows the reason. For an unknown one the newer hub's own message says more than the reason's name. */
export function isKnownUnavailable(reason: string): reason is UnavailableReason {
  return Object.hasOwn(refusals, reason);
}

export function isWorthWaiting(reason: UnavailableReason): boolean {
  return refusals[reason].isWorthWaiting;
}

const authRefusals = {
  "missing token": "token",
  "invalid token": "token",
  "access revoked": "revoked",
  "no model declared": "model",
  "model not accepted": "model",
  "too many connections": "passing",
  malformed: "passing",
} as const satisfies Readonly<Record<string, AuthRefusalKind>>;

/** What a refusal of a relay is about: something that waiting cannot change, or something that passes. */
export type AuthRefusalKind = "token" | "model" | "role" | "revoked" | "passing";
type AuthRefusal = keyof typeof authRefusals;
/** The text of a refusal: a phrase of the table, then details. */
export type AuthRefusalReason = AuthRefusal | `${AuthRefusal}${";" | ":" | ""} ${string}`;
export const authRefusalReasons = Object.keys(authRefusals) as readonly AuthRefusal[];

/** What an `auth_failed.reason` is about. Only its phrase of the table counts: the details after it may quote anything. */
export function authRefusalKind(reason: string): AuthRefusalKind {
  const known = authRefusalReasons.find((words) => reason === words || /^[;: ]/.test(afterWords(reason, words)));
  return known === undefined ? guessedRefusalKind(reason) : authRefusals[known];
}

function afterWords(reason: string, words: string): string {
  return reason.startsWith(words) ? reason.slice(words.length) : "";
}

/** Judges a reason that is not in the table by a pattern: hubs of other releases word refusals differently. */
function guessedRefusalKind(reason: string): AuthRefusalKind {
  const [words = ""] = reason.split(";", 1);
  if (/time.?out|timed out|try again|not ready|too many|rate|busy|internal/i.test(words)) return "passing";
  const kind = /model|role|revoked/i.exec(words)?.[0].toLowerCase();
  if (kind !== undefined) return kind as AuthRefusalKind;
  return /token|proof|credential|contributor|unauthori[sz]ed|forbidden/i.test(words) ? "token" : "passing";
}

const outcomes = {
  completed: { words: "completed", tone: "good" },
  failed: { words: "failed", tone: "bad" },
  given_back: { words: "given back", tone: "neutral" },
  declined: { words: "declined", tone: "neutral" },
  expired: { words: "ran out of time", tone: "bad" },
  requeued: { words: "taken back by an operator", tone: "neutral" },
  revoked: { words: "ended: access revoked", tone: "neutral" },
  stopped: { words: "ended: relay stopped", tone: "neutral" },
} as const satisfies Readonly<Record<string, Ended>>;

/** How a task ended. */
export type Outcome = keyof typeof outcomes;
export const taskOutcomes = Object.keys(outcomes) as readonly Outcome[];

interface Ended {
  readonly words: string;
  readonly tone: Tone;
}

const verdicts = {
  no_work_needed: { words: "nothing left to do", tone: "neutral" },
  blocked: { words: "blocked", tone: "bad" },
} as const satisfies Readonly<Record<string, Ended>>;

/** Agent verdicts with which a completed task does not count as a success. */
export type UnfinishedVerdict = keyof typeof verdicts;

/** The verdict if it is such a one; undefined otherwise. */
export function unfinishedVerdict(verdict: string | undefined): UnfinishedVerdict | undefined {
  return verdict !== undefined && Object.hasOwn(verdicts, verdict) ? (verdict as UnfinishedVerdict) : undefined;
}

/** How a task ended, in words; an undefined `outcome` means that it is under way. An unknown outcome is neutral and shown by its name. */
export function describeOutcome(outcome: string | undefined, verdict: string | undefined): Ended {
  if (outcome === undefined) return { words: "under way", tone: "neutral" };
  if (!Object.hasOwn(outcomes, outcome)) return { words: spaced(outcome), tone: "neutral" };
  const unfinished = unfinishedVerdict(verdict);
  return outcome === "completed" && unfinished !== undefined ? verdicts[unfinished] : outcomes[outcome as Outcome];
}

function described(table: Readonly<Record<string, Reason>>, name: string): Reason {
  const known = Object.hasOwn(table, name) ? table[name] : undefined;
  return known ?? { label: spaced(name), because: spaced(name) };
}

function spaced(name: string): string {
  return name.replaceAll("_", " ");
}
