import type { FlagValues } from "@nest/kit";
import type { HubClient } from "./hub-client.ts";

/** Every flag of `nest hubctl`; each command says in the usage which it takes. */
export const hubctlFlags = {
  json: "switch",
  yes: "switch",
  all: "switch",
  limit: "number",
  search: "text",
  reason: "text",
  note: "text",
  until: "text",
  session: "text",
  since: "text",
  actor: "text",
  action: "text",
  subject: "text",
  repo: "text",
  label: "text",
  author: "text",
  contributor: "text",
  outcome: "text",
  backend: "text",
  tier: "text",
  model: "text",
} as const;
export type HubctlFlags = FlagValues<typeof hubctlFlags>;

/** 0: done; 3: something would change, and nothing was changed. Failures are thrown. */
export type ExitCode = 0 | 3;

export interface VerbCall {
  readonly hub: HubClient;
  readonly flags: HubctlFlags;
  /** What follows the command. */
  readonly words: readonly string[];
  /** Results. */
  print(text: string): void;
  /** What a person should know beside them. */
  tell(text: string): void;
  readonly readFile: (path: string) => Promise<string>;
  readonly now: () => number;
}

/** One command of `nest hubctl`. */
export type Verb = (call: VerbCall) => Promise<ExitCode>;
