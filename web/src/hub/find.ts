import type { Navigating } from "@nest/protocol";
import type { Finding } from "../shared/shell/finding.ts";

const ISSUE = /^(?:https?:\/\/[^/\s]+\/)?([\w.-]+)\/([\w.-]+)(?:#|\/issues\/)(\d{1,10})$/;
const TASK = /^task-[\w-]{1,80}$/;

/** What words may lead to on a hub, beside names of pages: an issue, a task, or something to search for in its lists. */
export function hubFindings(words: string, who: Navigating | undefined): Finding[] {
  if (words === "") return [];
  const [, owner, name, number] = ISSUE.exec(words) ?? [];
  if (owner !== undefined)
    return [{ name: `Issue ${owner}/${name}#${number}`, address: `/issues/${owner}/${name}/${number}` }];
  if (TASK.test(words)) return [{ name: `Task ${words}`, address: `/tasks/${words}` }];
  const q = encodeURIComponent(words);
  const forAll = [
    { name: `Search the queue for “${words}”`, address: `/operations?q=${q}` },
    { name: `Search withheld issues for “${words}”`, address: `/operations?queue=withheld&q=${q}` },
    { name: `Search relays for “${words}”`, address: `/operations?relay_q=${q}` },
  ];
  if (who?.hub_admin !== true) return forAll;
  return [
    ...forAll,
    { name: `Search contributors for “${words}”`, address: `/contributors?q=${q}` },
    { name: `Search the audit for “${words}”`, address: `/audit?q=${q}` },
    { name: `Search users for “${words}”`, address: `/users?q=${q}` },
  ];
}

/** Pages that the bar has no room for. */
export function morePages(who: Navigating | undefined): Finding[] {
  const forAll = [{ name: "Find issues", address: "/issues" }];
  if (who?.hub_admin !== true) return forAll;
  return [
    ...forAll,
    { name: "Find tasks", address: "/tasks" },
    { name: "My contributions", address: "/me" },
    { name: "Create a nest", address: "/my-nests/new" },
    { name: "API tokens", address: "/tokens" },
    { name: "Alerts", address: "/alerts" },
  ];
}
