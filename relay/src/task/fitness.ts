import { plainLine } from "@nest/kit";
import type { Assignment } from "./task.ts";

/**
 * `owner/name` as code hosts have it: nothing that a program could take for a flag, a parent folder or another part of an
 * address.
 */
const REPOSITORY = /^[A-Za-z0-9_][A-Za-z0-9_.-]*\/[A-Za-z0-9_.][A-Za-z0-9_.-]*$/;
const LONGEST_TITLE = 1000;

/**
 * Why no agent is started for an assignment: a program would read its names differently than a person. Undefined when it can be
 * worked on. Pure.
 */
export function unfitness({ task_id, repo }: Assignment): string | undefined {
  // The id is a variable of the agent's environment, which cannot hold a NUL.
  if (/[\p{Cc}\p{Cf}\p{Cs}]/u.test(task_id)) return "the task id has characters that cannot be shown";
  const name = repo.split("/")[1] ?? "";
  if (!REPOSITORY.test(repo) || /^\.+$/.test(name)) return "the repository is not owner/name";
  return undefined;
}

/** The assignment cleaned: each text for people on one plain line, and a link only where it is a web address. Pure. */
export function tidied(assignment: Assignment): Assignment {
  const { title, url, labels } = assignment;
  return {
    ...assignment,
    title: plainLine(title).slice(0, LONGEST_TITLE),
    url: isWebAddress(url) ? url : "",
    labels: labels.map(plainLine),
  };
}

function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === "" && password === "" && !/[\s\p{Cc}\p{Cf}]/u.test(text);
}
