import { Kbd } from "@mantine/core";
import { type KeyboardEvent, useId, useState } from "react";
import { DialogBox } from "../forms/dialogs.tsx";
import type { Finding } from "./finding.ts";
import "./palette.css";

export interface PaletteProps {
  readonly opened: boolean;
  readonly close: () => void;
  /** What the words lead to, best first. */
  readonly find: (words: string) => readonly Finding[];
  readonly goTo: (finding: Finding) => void;
}

/** The command palette: type what you want, choose with the arrows, Enter goes there. */
export function Palette({ opened, close, find, goTo }: PaletteProps) {
  return (
    <DialogBox isOpen={opened} close={close} title="Go to or find" size="lg" at="top">
      <Chooser
        find={find}
        goTo={(finding) => {
          close();
          goTo(finding);
        }}
      />
    </DialogBox>
  );
}

function Chooser({ find, goTo }: Pick<PaletteProps, "find" | "goTo">) {
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const list = useId();
  const found = find(words.trim());
  const chosen = Math.min(at, found.length - 1);
  const press = (event: KeyboardEvent) => {
    const next = moved(event.key, chosen, found.length);
    const finding = found[chosen];
    if (next !== undefined) setAt(next);
    else if (event.key === "Enter" && finding !== undefined) goTo(finding);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        className="palette-words"
        type="text"
        role="combobox"
        aria-label="A page, an issue like owner/name#7, a task, a login, or words"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={found.length === 0 ? undefined : `${list}-${chosen}`}
        placeholder="A page, owner/name#7, a task, a login, or words"
        value={words}
        maxLength={200}
        autoComplete="off"
        data-autofocus
        onChange={({ target }) => {
          setWords(target.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div className="palette-list" id={list} role="listbox" aria-label="Where it leads">
        {found.map((finding, nth) => (
          // The keys are pressed in the field above, which names the chosen option.
          <div
            key={finding.address}
            id={`${list}-${nth}`}
            role="option"
            tabIndex={-1}
            aria-selected={nth === chosen}
            ref={nth === chosen ? keepInSight : undefined}
            onClick={() => goTo(finding)}
            onKeyDown={press}
            onMouseMove={() => setAt(nth)}
          >
            <span>{finding.name}</span>
            {finding.keys === undefined ? undefined : (
              <span>
                {finding.keys.map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </span>
            )}
          </div>
        ))}
      </div>
      {found.length === 0 ? (
        <p className="soft" role="status">
          Nothing of that name.
        </p>
      ) : undefined}
    </>
  );
}

/** Where a key leads in the list, from end to end in a circle; undefined for any other key. */
function moved(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowUp") return (at - 1 + count) % count;
  return undefined;
}

function keepInSight(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: "nearest" });
}
