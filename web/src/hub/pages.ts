import type { AppPage } from "../shared/shell/app-page.ts";
import type { Shortcut } from "../shared/shell/shortcuts.tsx";

/** The hub's navigation: public pages first, then what admins work with. */
export const hubPages: readonly AppPage[] = [
  { address: "/", name: "Live", isServerMade: true },
  { address: "/operations", name: "Operations", key: "o" },
  { address: "/settings", name: "Settings", key: "s" },
  { address: "/contributors", name: "Contributors", key: "c" },
  { address: "/audit", name: "Audit", key: "a" },
];

export const hubShortcuts: readonly Shortcut[] = [
  { keys: ["Space"], meaning: "On a handle of the queue: pick the issue up, and put it down" },
  { keys: ["↑", "↓", "Home", "End"], meaning: "Move what is picked up" },
];
