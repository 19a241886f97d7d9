import { type Autonomy, autonomies } from "@nest/protocol";

/** What an agent may do to the code host, and whether its pull requests wait for a person. */
export interface Allowance {
  readonly autonomy: Autonomy;
  /** Its pull requests get the hold label. */
  readonly held: boolean;
}

/** Agents that look after quality, security and the pipeline, by their names: levels 3 and 4 trust them first. */
const QUALITY = /quality|test/i;
const GATEKEEPERS = /quality|test|sec|\bci\b|^ci-|-ci$/i;
const ADVISE: Allowance = { autonomy: "advise", held: true };

/**
 * What an agent of this name may do at an ACMM level (spec: `acmm_level`): 1 and 2 advise; at 3 quality agents open pull requests
 * that wait for a person; at 4 all file issues, and quality, security and pipeline agents open such pull requests; at 5 all do; at 6
 * pull requests are merged when they are green. Undefined at level 0: no agent works. Pure.
 */
export function allowanceAt(level: number, name: string, cap?: Autonomy): Allowance | undefined {
  if (level <= 0) return undefined;
  const given = givenAt(level, name);
  if (cap === undefined || autonomies.indexOf(cap) >= autonomies.indexOf(given.autonomy)) return given;
  return { autonomy: cap, held: true };
}

function givenAt(level: number, name: string): Allowance {
  if (level <= 2) return ADVISE;
  if (level === 3) return QUALITY.test(name) ? { autonomy: "pull_requests", held: true } : ADVISE;
  if (level === 4) return { autonomy: GATEKEEPERS.test(name) ? "pull_requests" : "issues", held: true };
  return level === 5 ? { autonomy: "pull_requests", held: true } : { autonomy: "merge", held: false };
}

const READ = { metadata: "read", contents: "read", issues: "read", pull_requests: "read" } as const;

/** The permissions of the credential that a run gets: the code host itself refuses whatever goes beyond them. Pure. */
export function permissionsFor(autonomy: Autonomy): Readonly<Record<string, "read" | "write">> {
  switch (autonomy) {
    case "advise":
      return READ;
    case "issues":
      return { ...READ, issues: "write" };
    case "pull_requests":
    case "merge":
      return { ...READ, contents: "write", issues: "write", pull_requests: "write" };
  }
}

/** Whether a run may push, and so needs a login that can. */
export function mayPush(autonomy: Autonomy): boolean {
  return permissionsFor(autonomy).contents === "write";
}

/** What an agent is told of its rights. */
export function autonomyWords({ autonomy, held }: Allowance): string {
  switch (autonomy) {
    case "advise":
      return "You advise: read the code and the issue, and write down what should be done. Change nothing at the code host: no push, no comment, no pull request. Your login could not.";
    case "issues":
      return "You may open and comment on issues. Do not push and do not open pull requests: your login could not.";
    case "pull_requests":
      return held
        ? "You may push a branch and open a pull request. A person looks at it before it is merged: do not merge."
        : "You may push a branch and open a pull request. Do not merge it.";
    case "merge":
      return "You may push a branch, open a pull request, and merge it once every required check is green and nobody asked for a change.";
  }
}
