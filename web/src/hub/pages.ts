import type { AppPage } from "../shared/shell/app-page.ts";
import type { Shortcut } from "../shared/shell/shortcuts.tsx";

/** The navigation for everybody, the same as on the public pages. */
const publicPages: readonly AppPage[] = [
  { address: "/", name: "Live", key: "l", isServerMade: true },
  { address: "/contribute", name: "Contribute", isServerMade: true },
  { address: "/leaderboard", name: "Leaderboard", key: "b", isServerMade: true },
  { address: "/operations", name: "Operations", key: "o" },
];

const personalPages: readonly AppPage[] = [
  ...publicPages,
  { address: "/me", name: "My contributions", key: "m" },
  { address: "/my-nests", name: "My nests", key: "n" },
];

/** An admin finds the own contributions in the account menu: the bar is full. */
const operatorPages: readonly AppPage[] = personalPages.filter(({ address }) => address !== "/me");

const adminPages: readonly AppPage[] = [
  ...operatorPages,
  { address: "/clusters", name: "Clusters", key: "k" },
  { address: "/users", name: "Users", key: "u" },
  { address: "/settings", name: "Settings", key: "s" },
  { address: "/contributors", name: "Contributors", key: "c" },
  { address: "/numbers", name: "Numbers", key: "x" },
  { address: "/audit", name: "Audit", key: "a" },
];

/** The hub's navigation for an admin, for somebody else who is signed in, or for a visitor. */
export function hubPages(who: { readonly authenticated: boolean; readonly hub_admin: boolean } | undefined) {
  if (who?.hub_admin === true) return adminPages;
  return who?.authenticated === true ? personalPages : publicPages;
}

export const hubShortcuts: readonly Shortcut[] = [
  { keys: ["↑", "↓", "Home", "End"], meaning: "In a list: go from row to row" },
  { keys: ["←", "→"], meaning: "In a row: go from control to control" },
  { keys: ["Space"], meaning: "On a handle of the queue: pick the issue up, and put it down" },
  { keys: ["↑", "↓"], meaning: "Move the issue that was picked up" },
];
