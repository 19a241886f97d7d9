import type { Tone } from "./activity.ts";

/** Everything that a nest's activity tells, as its producer states it. An action that is not here does not compile. */
export type NestActivityEvent =
  | {
      readonly action: "run began";
      readonly agent: string;
      readonly issue?: string | undefined;
      readonly run_id: string;
    }
  | {
      readonly action:
        | "run shipped"
        | "run finished"
        | "run found nothing to do"
        | "run was blocked"
        | "run failed"
        | "run took too long"
        | "run went round in a loop"
        | "run stood still"
        | "run could not start"
        | "run was stopped";
      readonly agent: string;
      readonly issue?: string | undefined;
      readonly run_id?: string | undefined;
      /** The pull request that was opened, where there is one. */
      readonly url?: string | undefined;
      readonly detail?: string | undefined;
    }
  /** `detail`: why. */
  | { readonly action: "agent paused"; readonly agent: string; readonly detail: string }
  | { readonly action: "agent resumed"; readonly agent: string; readonly detail?: string | undefined }
  | { readonly action: "agent restarted"; readonly agent: string; readonly detail?: string | undefined }
  /** `detail`: the mode now. */
  | { readonly action: "mode changed"; readonly detail: string }
  /** `detail`: the repository, and why. */
  | { readonly action: "repository unreadable" | "repository readable again"; readonly detail: string }
  | { readonly action: "settings changed"; readonly detail: string }
  | { readonly action: "hub refuses heartbeats" | "hub accepts heartbeats again"; readonly detail?: string | undefined }
  /** `detail`: who, and what came of it. */
  | {
      readonly action:
        | "backup taken"
        | "backup failed"
        | "backup key saved"
        | "backup key removed"
        | "backup key settings changed";
      readonly detail: string;
    }
  | { readonly action: "nest started" };

export type NestActivityAction = NestActivityEvent["action"];

interface Wording {
  readonly tone: Tone;
  /** After the agent's name, where there is an agent. */
  readonly words: string;
}

const wordings: Readonly<Record<NestActivityAction, Wording>> = {
  "run began": { tone: "start", words: "began work" },
  "run shipped": { tone: "good", words: "opened a pull request" },
  "run finished": { tone: "good", words: "finished" },
  "run found nothing to do": { tone: "neutral", words: "found nothing left to do" },
  "run was blocked": { tone: "bad", words: "was blocked" },
  "run failed": { tone: "bad", words: "failed" },
  "run took too long": { tone: "bad", words: "ran out of time" },
  "run went round in a loop": { tone: "bad", words: "went round in a loop and was ended" },
  "run stood still": { tone: "bad", words: "stood still and was ended" },
  "run could not start": { tone: "bad", words: "could not start" },
  "run was stopped": { tone: "neutral", words: "was stopped" },
  "agent paused": { tone: "neutral", words: "was paused" },
  "agent resumed": { tone: "neutral", words: "was resumed" },
  "agent restarted": { tone: "neutral", words: "was restarted" },
  "mode changed": { tone: "neutral", words: "The governor's mode is now" },
  "repository unreadable": { tone: "bad", words: "A repository cannot be read:" },
  "repository readable again": { tone: "good", words: "A repository can be read again:" },
  "settings changed": { tone: "neutral", words: "The settings changed:" },
  "hub refuses heartbeats": { tone: "bad", words: "The hub refuses the heartbeats" },
  "hub accepts heartbeats again": { tone: "good", words: "The hub accepts the heartbeats again" },
  "backup taken": { tone: "good", words: "A backup was taken:" },
  "backup failed": { tone: "bad", words: "A backup failed:" },
  "backup key saved": { tone: "neutral", words: "The key of the backups was saved:" },
  "backup key removed": { tone: "neutral", words: "The key of the backups was removed:" },
  "backup key settings changed": { tone: "neutral", words: "Where the key of the backups comes from was changed:" },
  "nest started": { tone: "neutral", words: "The nest started" },
};

/** Every action of this release. */
export const nestActivityActions = Object.keys(wordings) as readonly NestActivityAction[];

/** A line of a nest's activity in plain words: what comes after the agent's name. An action of a newer nest reads as it came. */
export function describeNestActivity(action: string): Wording {
  return Object.hasOwn(wordings, action) ? wordings[action as NestActivityAction] : { tone: "neutral", words: action };
}
