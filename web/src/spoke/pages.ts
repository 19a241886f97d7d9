import type { Shortcut } from "../shared/shell/shortcuts.tsx";

/** What the nest wrote into the page of whom it was made for: the navigation is right before the nest has said who that is. */
export function rightsOfPage(app: HTMLElement | null = document.getElementById("app")) {
  const viewer = app?.dataset.viewer;
  return { operate: viewer === "owner" || viewer === "operator", configure: viewer === "owner" };
}

/** Shortcuts of single pages. */
export const nestShortcuts: readonly Shortcut[] = [
  { keys: ["Space"], meaning: "Play or pause a recording" },
  { keys: ["←"], meaning: "Five seconds back in a recording" },
  { keys: ["→"], meaning: "Five seconds on in a recording" },
];
