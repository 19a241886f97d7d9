import type { AppPage } from "../shared/shell/app-page.ts";
import type { Shortcut } from "../shared/shell/shortcuts.tsx";

/** The pages of a nest, in the order of the navigation. */
export const nestPages: readonly AppPage[] = [
  { address: "/overview", name: "Overview", key: "o" },
  { address: "/agents", name: "Agents", key: "a" },
  { address: "/queue", name: "Queue", key: "q" },
  { address: "/runs", name: "Runs", key: "r" },
  { address: "/ledger", name: "Ledger", key: "l" },
  { address: "/activity", name: "Activity", key: "t" },
  { address: "/audit", name: "Audit", key: "u" },
  { address: "/settings", name: "Settings", key: "s" },
  { address: "/health", name: "Health", key: "h" },
];

/** Shortcuts of single pages. */
export const nestShortcuts: readonly Shortcut[] = [
  { keys: ["Space"], meaning: "Play or pause a recording" },
  { keys: ["←"], meaning: "Five seconds back in a recording" },
  { keys: ["→"], meaning: "Five seconds on in a recording" },
];
