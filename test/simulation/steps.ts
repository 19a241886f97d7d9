import type { QueueIssue } from "@nest/dispatch";
import type { Deed } from "./relay-model.ts";

/** One thing that happens; `x` and `y` choose where and how. A world can be run again from a list of these. */
export interface Step {
  readonly op: number;
  readonly x: number;
  readonly y: number;
}

export const MINUTE = 60_000;
/** What a relay may do next. */
export const DEEDS: readonly Deed[] = [
  "ask",
  "progress",
  "complete",
  "complete with pull request",
  "fail",
  "idle verdict",
  "decline",
  "fail for good",
  "ask",
  "progress",
  "ask",
];
/** How far time may go on at once (ms). */
export const ADVANCES = [1000, 5000, 30_000, MINUTE, 2 * MINUTE, 10 * MINUTE, 31 * MINUTE, 3_600_000, 6 * 3_600_000];
export const REPOS = ["acme/one", "acme/two"];
const ISSUES_A_REPO = 4;

/** What `op` means: how often each kind of thing happens, out of 64. */
export const KINDS = [
  ...Array<"deliver">(20).fill("deliver"),
  ...Array<"flush">(10).fill("flush"),
  ...Array<"act">(14).fill("act"),
  ...Array<"advance">(4).fill("advance"),
  ...Array<"connect">(6).fill("connect"),
  ...Array<"drop">(3).fill("drop"),
  ...Array<"notice">(2).fill("notice"),
  "verify",
  "replay",
  "replay",
  "rare",
  "sweep",
  "push",
] as const;

/** The issues that every world begins with. */
export function issuesOf(repo: string): QueueIssue[] {
  return Array.from({ length: ISSUES_A_REPO }, (_, at) => {
    const number = at + 1;
    return { repo, number, title: `Issue ${number}`, body: "", url: "", author: "someone", labels: [], updatedAt: 0 };
  });
}
