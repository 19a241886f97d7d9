import type { AppPage } from "../shared/shell/app-page.ts";
import type { Shortcut } from "../shared/shell/shortcuts.tsx";

/** The navigation for everybody, the same as on the public pages. */
const publicPages: readonly AppPage[] = [
  { address: "/", name: "Live", key: "l", isServerMade: true },
  { address: "/contribute", name: "Contribute", isServerMade: true },
  { address: "/leaderboard", name: "Leaderboard", key: "b", isServerMade: true },
  { address: "/operations", name: "Operations", key: "o" },
];

const adminPages: readonly AppPage[] = [
  ...publicPages,
  { address: "/settings", name: "Settings", key: "s" },
  { address: "/contributors", name: "Contributors", key: "c" },
  { address: "/audit", name: "Audit", key: "a" },
];

/** The hub's navigation for an admin or for anybody else. */
export function hubPages(isAdmin: boolean): readonly AppPage[] {
  return isAdmin ? adminPages : publicPages;
}

export const hubShortcuts: readonly Shortcut[] = [
  { keys: ["↑", "↓", "Home", "End"], meaning: "In a list: go from row to row" },
  { keys: ["←", "→"], meaning: "In a row: go from control to control" },
  { keys: ["Space"], meaning: "On a handle of the queue: pick the issue up, and put it down" },
  { keys: ["↑", "↓"], meaning: "Move the issue that was picked up" },
];
