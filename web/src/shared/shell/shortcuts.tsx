import { Kbd, Modal } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect } from "react";
import { createStore, useStore } from "../store/store.ts";
import type { AppPage } from "./app-page.ts";
import { type Finding, pagesFound } from "./finding.ts";

const Palette = lazy(() => import("./palette.tsx").then((loaded) => ({ default: loaded.Palette })));

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
/** `unused` until it is opened for the first time: its script is loaded then. */
const paletteState = createStore<"unused" | "open" | "closed">("unused");

/** Shows the list of keys. */
export function openHelp(): void {
  isHelpOpen.set(true);
}

/** Shows the command palette. */
export function openPalette(): void {
  paletteState.set("open");
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
  const open = useStore(isHelpOpen, (value) => value);
  const palette = useStore(paletteState, (value) => value);
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
      {palette === "unused" ? undefined : (
        <Suspense>
          <Palette
            opened={palette === "open"}
            close={() => paletteState.set("closed")}
            find={(words) => [...pagesFound(pages, words), ...find(words)]}
            goTo={goTo}
          />
        </Suspense>
      )}
      <Modal opened={open} onClose={() => isHelpOpen.set(false)} title="Keyboard shortcuts">
        <table className="keys">
          <tbody>
            {[...goings, ...shortcuts, ...everywhere].map(({ keys, meaning }) => (
              <tr key={meaning}>
                <th scope="row">
                  {keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </th>
                <td>{meaning}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Modal>
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
