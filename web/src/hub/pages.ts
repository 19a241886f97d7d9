import type { Navigating } from "@nest/protocol";
import type { Shortcut } from "../shared/shell/shortcuts.tsx";

/** Who the page was made for, as the hub wrote it: the navigation is right before the session has been asked for. */
export function viewerOfPage(app: HTMLElement | null = document.getElementById("app")): Navigating | undefined {
  const viewer = app?.dataset.viewer;
  return viewer === undefined ? undefined : { authenticated: viewer !== "visitor", hub_admin: viewer === "admin" };
}

export const hubShortcuts: readonly Shortcut[] = [
  { keys: ["↑", "↓", "Home", "End"], meaning: "In a list: go from row to row" },
  { keys: ["←", "→"], meaning: "In a row: go from control to control" },
  { keys: ["Shift", "click"], meaning: "On a box of a list: select every row from the one that was chosen last" },
  { keys: ["Ctrl", "Enter"], meaning: "In a dialog with a text: send it (⌘ Enter on a Mac)" },
  { keys: ["Space"], meaning: "On a handle of the queue: pick the issue up, and put it down" },
  { keys: ["↑", "↓"], meaning: "Move the issue that was picked up" },
];
