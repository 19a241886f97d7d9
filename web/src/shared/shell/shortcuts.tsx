import { Kbd, Modal } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { createStore, useStore } from "../store/store.ts";
import type { AppPage } from "./app-page.ts";

/** The second key of a pair must follow within this time. */
const PAIR_MS = 1200;

export interface Shortcut {
  readonly keys: readonly string[];
  readonly meaning: string;
}

const everywhere: readonly Shortcut[] = [
  { keys: ["/"], meaning: "Search on this page" },
  { keys: ["Esc"], meaning: "Close a dialog" },
  { keys: ["?"], meaning: "This list" },
];

const isHelpOpen = createStore(false);

/** Shows the list of keys. */
export function openHelp(): void {
  isHelpOpen.set(true);
}

/** Handles the keyboard shortcuts, and shows the list of them. */
export function Shortcuts({
  pages,
  shortcuts,
}: {
  readonly pages: readonly AppPage[];
  readonly shortcuts: readonly Shortcut[];
}) {
  const open = useStore(isHelpOpen, (value) => value);
  const navigate = useNavigate();
  useEffect(
    () =>
      listenForKeys(pages, ({ address, isServerMade = false }) => {
        if (isServerMade) location.assign(address);
        else void navigate({ to: address });
      }),
    [pages, navigate],
  );
  const goings = pages.flatMap(({ key, name }) =>
    key === undefined ? [] : [{ keys: ["g", key], meaning: `Go to ${name}` }],
  );
  return (
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
  );
}

function listenForKeys(pages: readonly AppPage[], goTo: (page: AppPage) => void): () => void {
  let goUntil = 0;
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("[role=dialog]") !== null) return;
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
