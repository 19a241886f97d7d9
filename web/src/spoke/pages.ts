import type { AppPage } from "../shared/shell/app-page.ts";
import type { Shortcut } from "../shared/shell/shortcuts.tsx";
import type { Right } from "./session/session.ts";

/** A page of a nest. */
export interface NestPage extends AppPage {
  /** Whoever may not do this is not led there: the page would only refuse. */
  readonly right?: Right;
}

/** The pages of a nest, in the order of the navigation. */
export const nestPages: readonly NestPage[] = [
  { address: "/overview", name: "Overview", key: "o" },
  { address: "/agents", name: "Agents", key: "a" },
  { address: "/queue", name: "Queue", key: "q" },
  { address: "/runs", name: "Runs", key: "r" },
  { address: "/ledger", name: "Ledger", key: "l" },
  { address: "/activity", name: "Activity", key: "t" },
  { address: "/audit", name: "Audit", key: "u", right: "operate" },
  { address: "/settings", name: "Settings", key: "s" },
  { address: "/health", name: "Health", key: "h" },
];

/** Shortcuts of single pages. */
export const nestShortcuts: readonly Shortcut[] = [
  { keys: ["Space"], meaning: "Play or pause a recording" },
  { keys: ["←"], meaning: "Five seconds back in a recording" },
  { keys: ["→"], meaning: "Five seconds on in a recording" },
];
