import type { Autonomy } from "@nest/protocol";
import type { Mode } from "./modes.ts";
import type { Limits } from "./spending.ts";

/** How the agent's CLI is started: as a person would, with the prompt typed, or for one prompt alone. Both are seen in its terminal. */
export type RunStyle = "interactive" | "headless";

/** What an agent is for: one issue a run, or the state of the whole queue and ledger. */
export type Focus = "issue" | "overview";

/** One agent, as the nest's configuration has it. */
export interface AgentSettings {
  readonly name: string;
  readonly backend: string;
  readonly model: string | undefined;
  readonly effort: string | undefined;
  readonly enabled: boolean;
  readonly style: RunStyle;
  readonly focus: Focus;
  /** What people want it to heed in every run. */
  readonly instructions: string | undefined;
  /** Repositories it works in; all monitored ones where it names none. */
  readonly repos: readonly string[];
  /** It takes only issues with one of these labels; any where it names none. */
  readonly labels: readonly string[];
  /** The most it may do, where that is less than the nest's ACMM level gives it. */
  readonly autonomy: Autonomy | undefined;
  /** A run that takes longer is ended. */
  readonly maxMinutes: number;
  readonly limits: Limits;
}

/** What the governor goes by. */
export interface GovernorSettings {
  /** `owner/name` of every monitored repository. */
  readonly repos: readonly string[];
  readonly primaryRepo: string | undefined;
  /** 0 to 6; at 0 no agent is set to work. */
  readonly acmmLevel: number;
  /** How often the repositories are read and the agents judged. */
  readonly evalIntervalMs: number;
  readonly modes: readonly Mode[];
  readonly limits: Limits;
  /** Issues with such a label wait for people; compared without regard to case. */
  readonly holdLabels: readonly string[];
  /** Issues with such a label are never for agents. */
  readonly exemptLabels: readonly string[];
  /** Issues by these authors are left out. `*` stands for anything. */
  readonly denyAuthors: readonly string[];
  /** Issues whose title contains one of these are left out. `*` stands for anything. */
  readonly denyTitles: readonly string[];
  /** The label that tells people to look before a pull request is merged. */
  readonly holdLabel: string;
  readonly agents: readonly AgentSettings[];
  readonly recordings: { readonly days: number; readonly bytes: number };
}
