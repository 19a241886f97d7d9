import { useRouter } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";
import { usePart } from "../lazy/lazy-part.ts";
import { createStore, useStore } from "../store/store.ts";
import type { AppPage } from "./app-page.ts";
import { type Finding, pagesFound } from "./finding.ts";

/** The second key of a pair must follow within this time. */
const PAIR_MS = 1200;

export interface Shortcut {
  readonly keys: readonly string[];
  readonly meaning: string;
}

const everywhere: readonly Shortcut[] = [
  { keys: ["Ctrl", "k"], meaning: "Go to a page, an issue, a task; find a person (⌘ k on a Mac)" },
  { keys: ["/"], meaning: "Search on this page" },
  { keys: ["Esc"], meaning: "Close a dialog" },
  { keys: ["?"], meaning: "This list" },
];

const isHelpOpen = createStore(false);
const isPaletteOpen = createStore(false);

/** Shows the list of keys. */
export function openHelp(): void {
  isHelpOpen.set(true);
}

/** Shows the command palette. */
export function openPalette(): void {
  isPaletteOpen.set(true);
}

/** Handles the keyboard shortcuts, and shows the list of them and the command palette. */
export function Shortcuts({
  pages,
  shortcuts,
  find,
}: {
  readonly pages: readonly AppPage[];
  readonly shortcuts: readonly Shortcut[];
  /** What else than pages the words of the palette lead to. */
  readonly find: (words: string) => readonly Finding[];
}) {
  const isHelp = useStore(isHelpOpen, (value) => value);
  const isPalette = useStore(isPaletteOpen, (value) => value);
  const help = usePart(() => import("./help.tsx"), isHelp);
  const palette = usePart(() => import("./palette.tsx"), isPalette);
  const { history } = useRouter();
  const goTo = useCallback(
    ({ address, isServerMade = false }: Pick<Finding, "address" | "isServerMade">) => {
      if (isServerMade) location.assign(address);
      else history.push(address);
    },
    [history],
  );
  useEffect(() => listenForKeys(pages, goTo), [pages, goTo]);
  const goings = pages.flatMap(({ key, name }) =>
    key === undefined ? [] : [{ keys: ["g", key], meaning: `Go to ${name}` }],
  );
  return (
    <>
      {palette === undefined ? undefined : (
        <palette.Palette
          opened={isPalette}
          close={() => isPaletteOpen.set(false)}
          find={(words) => [...pagesFound(pages, words), ...find(words)]}
          goTo={goTo}
        />
      )}
      {help === undefined ? undefined : (
        <help.Help
          opened={isHelp}
          close={() => isHelpOpen.set(false)}
          shortcuts={[...goings, ...shortcuts, ...everywhere]}
        />
      )}
    </>
  );
}

function listenForKeys(pages: readonly AppPage[], goTo: (page: AppPage) => void): () => void {
  let goUntil = 0;
  const press = (event: KeyboardEvent) => {
    const isDialogOpen = document.querySelector("[role=dialog]") !== null;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k" && !isDialogOpen) {
      event.preventDefault();
      openPalette();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isDialogOpen) return;
    const page = event.timeStamp < goUntil ? pages.find(({ key }) => key === event.key) : undefined;
    goUntil = event.key === "g" ? event.timeStamp + PAIR_MS : 0;
    if (page !== undefined) goTo(page);
    else if (event.key === "?") isHelpOpen.set(true);
    else if (event.key === "/" && focusSearch()) event.preventDefault();
  };
  window.addEventListener("keydown", press);
  return () => window.removeEventListener("keydown", press);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>("input[type=search]");
  field?.focus();
  return field !== null;
}
