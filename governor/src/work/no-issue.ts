import { NestError } from "@nest/kit";
import type { ScannedRepo } from "./scan.ts";

/**
 * Why an issue that somebody names cannot be worked on: there is none, or nobody can tell, because its repository cannot be read.
 * Pure.
 */
export function noIssue(key: string, repos: readonly Pick<ScannedRepo, "repo" | "error">[]): NestError {
  const named = key.split("#", 1)[0]?.toLowerCase();
  const unread = repos.find(({ repo, error }) => error !== undefined && repo.toLowerCase() === named);
  if (unread === undefined)
    return new NestError("issue_not_found", `${key} is no open issue of a monitored repository`);
  return new NestError(
    "codehost_unreachable",
    `whether ${key} is open is not known: ${unread.repo} could not be read (${unread.error})`,
    { hint: "look at the code host's line on the Health page, and try again then" },
  );
}
