import type { BeadStatus } from "@nest/protocol";

const statuses: Readonly<Record<BeadStatus, string>> = {
  open: "Open",
  in_progress: "In progress",
  blocked: "Blocked",
  done: "Done",
  closed: "Closed",
};

/** What a status is called. */
export function statusWords(status: BeadStatus): string {
  return statuses[status];
}

/** 0 is the most urgent. */
export const priorities = ["most urgent", "urgent", "normal", "later", "some day"] as const;

export function priorityWords(priority: number): string {
  return priorities[priority] ?? String(priority);
}
