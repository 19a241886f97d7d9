// The activity feed, described once: every event that a hub tells, the fields it carries, and how people read it. Pages load this
// file without a bundler: it imports nothing.

/** What an entry means to people who watch: work begins, good news, bad news, or neither. */
export type Tone = "start" | "good" | "bad" | "neutral";

/**
 * Every event of the feed, as the code that reports it states it. `action` is the name on the wire and never changes. `Task` is
 * how that code refers to a task; readers get its key and title. An action that is not listed here does not compile.
 */
export type ActivityEvent<Task> =
  | { readonly action: "picked up" | "resumed"; readonly task: Task }
  | { readonly action: "released: connection lost" | "lease expired: auto-released"; readonly task: Task }
  | {
      readonly action:
        | "failed"
        | "released: relay stopped"
        | "released: gave the task back"
        | "yanked by operator"
        | "completed: no_work_needed"
        | "completed: blocked";
      readonly task: Task;
      /** The reason that the relay or the operator gave. */
      readonly detail?: string | undefined;
      /** A pull request of the code host, where one was named. */
      readonly url?: string | undefined;
    }
  | {
      readonly action: "completed";
      readonly task: Task;
      readonly detail?: string | undefined;
      /** The pull request that was opened, where there is one. */
      readonly url?: string | undefined;
    }
  /** `detail`: the machine's session name and its agent CLI. */
  | { readonly action: "joined" | "left"; readonly detail: string }
  | { readonly action: "registered" | "access revoked" | "access restored" }
  | { readonly action: "pull request verified"; readonly url: string }
  /** `detail`: the new trust tier. */
  | { readonly action: "promoted" | "trust changed"; readonly detail: string }
  /** `detail`: the admin who did it; only admins are told. */
  | { readonly action: "contribution suspended" | "contribution resumed"; readonly detail: string }
  /** `detail`: what the operators have to say. */
  | { readonly action: "announced"; readonly detail: string };

export type ActivityAction = ActivityEvent<unknown>["action"];

/** The fields of an entry that decide its wording. */
export interface ActivityFacts {
  readonly action: string;
  /** The issue's key, `owner/name#number`. */
  readonly task?: string | undefined;
  readonly url?: string | undefined;
  readonly detail?: string | undefined;
  /** True when the reader may not see the repository. */
  readonly private?: true | undefined;
}

/** An entry as people read it: who, `before`, what it is about, `after`; then `detail`. */
export interface ActivitySentence {
  readonly tone: Tone;
  readonly before: string;
  /** The issue; undefined where there is none. An entry about a pull request alone is about {@link pullRequest}. */
  readonly about: string | undefined;
  /** Empty for most actions. */
  readonly after: string;
  /** A reason or a machine, shown at the end of the sentence; undefined when there is none. */
  readonly detail: string | undefined;
  /** The address of the pull request that it is about, where there is one. */
  readonly pullRequest: string | undefined;
  /** True when a task succeeded. */
  readonly isDone: boolean;
}

interface Wording {
  readonly tone: Tone;
  readonly before: string | ((facts: ActivityFacts) => string);
  readonly after?: string;
  /** True when the wording contains the detail already. */
  readonly saysDetail?: true;
  /** True when the detail is the operator who did it, which is for operators. */
  readonly saysOperator?: true;
  readonly isDone?: true;
}

const wordings: Readonly<Record<ActivityAction, Wording>> = {
  "picked up": { tone: "start", before: "took" },
  resumed: { tone: "start", before: "resumed work on" },
  completed: {
    tone: "good",
    before: ({ url }) => (isPullRequest(url) ? "opened a pull request for" : "finished"),
    isDone: true,
  },
  "completed: no_work_needed": { tone: "neutral", before: "found nothing left to do on" },
  "completed: blocked": { tone: "bad", before: "was blocked on" },
  failed: { tone: "bad", before: "could not finish" },
  "released: connection lost": { tone: "bad", before: "lost the connection while working on" },
  "released: relay stopped": { tone: "neutral", before: "stopped the relay while working on" },
  "released: gave the task back": { tone: "neutral", before: "gave back" },
  "lease expired: auto-released": { tone: "bad", before: "ran out of time on" },
  "yanked by operator": { tone: "neutral", before: "had", after: "taken back by an operator" },
  joined: { tone: "neutral", before: "connected a relay" },
  left: { tone: "neutral", before: "disconnected" },
  registered: { tone: "neutral", before: "registered as a contributor" },
  "pull request verified": { tone: "good", before: "opened", after: "and the hub verified it" },
  promoted: { tone: "good", before: ({ detail }) => `was promoted to ${detail ?? "a higher tier"}`, saysDetail: true },
  "trust changed": {
    tone: "neutral",
    before: ({ detail }) => `was moved to the trust tier ${detail ?? "that an admin chose"}`,
    saysDetail: true,
  },
  "access revoked": { tone: "bad", before: "lost access" },
  "access restored": { tone: "good", before: "has access again" },
  "contribution suspended": {
    tone: "neutral",
    before: ({ detail }) => `hands out no work for now${detail === undefined ? "" : `, suspended by ${detail}`}`,
    saysDetail: true,
    saysOperator: true,
  },
  "contribution resumed": {
    tone: "neutral",
    before: ({ detail }) => `hands out work again${detail === undefined ? "" : `, resumed by ${detail}`}`,
    saysDetail: true,
    saysOperator: true,
  },
  announced: { tone: "neutral", before: ({ detail }) => `announced: ${detail ?? ""}`, saysDetail: true },
};

/** Every action of this release. */
export const activityActions = Object.keys(wordings) as readonly ActivityAction[];

/** Whether the detail of an action is the operator who did it. */
export function saysOperator(action: string): boolean {
  const known = knownActivity(action);
  return known !== undefined && wordings[known].saysOperator === true;
}

/** The action as one of this release; undefined for one of a newer hub. */
export function knownActivity(action: string): ActivityAction | undefined {
  return Object.hasOwn(wordings, action) ? (action as ActivityAction) : undefined;
}

/** An entry of the feed in plain words. An action of a newer hub is neutral and reads as it came. */
export function describeActivity(facts: ActivityFacts): ActivitySentence {
  const detail = facts.detail === undefined || facts.detail.trim() === "" ? undefined : facts.detail;
  const pullRequest = isPullRequest(facts.url) ? facts.url : undefined;
  const action = knownActivity(facts.action);
  const wording: Wording = action === undefined ? { tone: "neutral", before: facts.action } : wordings[action];
  const { tone, before, after = "", saysDetail, isDone = false } = wording;
  return {
    tone,
    pullRequest,
    before: typeof before === "string" ? before : before({ ...facts, detail }),
    about: facts.task ?? (facts.private === true ? "something in a private repository" : undefined),
    after,
    detail: saysDetail === true ? undefined : detail,
    isDone,
  };
}

function isPullRequest(url: string | undefined): boolean {
  return url !== undefined && /\/pull\/\d+$/.test(url);
}
