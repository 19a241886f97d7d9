import { Kbd, Modal } from "@mantine/core";
import { useEffect, useSyncExternalStore } from "react";
import { goTo } from "../place/place.ts";

/** The second key of a pair has to come within this. */
const PAIR_MS = 1200;

const goings: Readonly<Record<string, readonly [address: string, name: string]>> = {
  o: ["/operations", "Operations"],
  s: ["/settings", "Settings"],
  c: ["/contributors", "Contributors"],
  a: ["/audit", "Audit"],
};

const help: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  ...Object.entries(goings).map(([key, [, name]]) => [["g", key], `Go to ${name}`] as const),
  [["/"], "Search on this page"],
  [["Space"], "On a handle of the queue: pick the issue up, and put it down"],
  [["↑", "↓", "Home", "End"], "Move what is picked up"],
  [["Esc"], "Put it back where it was; close a dialog"],
  [["?"], "This list"],
];

const watchers = new Set<() => void>();
let isOpen = false;

function show(open: boolean): void {
  isOpen = open;
  for (const watcher of watchers) watcher();
}

/** Shows the list of keys. */
export function openHelp(): void {
  show(true);
}

/** Listens for the keys of the app, and shows what they are. */
export function Shortcuts() {
  const open = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => isOpen,
  );
  useEffect(() => {
    let goUntil = 0;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("[role=dialog]") !== null) return;
      const going = event.timeStamp < goUntil ? goings[event.key] : undefined;
      goUntil = event.key === "g" ? event.timeStamp + PAIR_MS : 0;
      if (going !== undefined) goTo(going[0]);
      else if (event.key === "?") show(true);
      else if (event.key === "/" && focusSearch()) event.preventDefault();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
  return (
    <Modal opened={open} onClose={() => show(false)} title="Keyboard shortcuts">
      <table className="keys">
        <tbody>
          {help.map(([keys, meaning]) => (
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
