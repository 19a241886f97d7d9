import { Button, TextInput } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useState } from "react";
import { addTyped } from "./repository-names.ts";

export interface RepositoryPickerProps {
  readonly repos: readonly string[];
  readonly primary: string;
  /** What stands in the field and was not added yet. */
  readonly typed: string;
  readonly type: (text: string) => void;
  readonly error: string | undefined;
  readonly change: (part: { readonly repos?: readonly string[]; readonly primary?: string }) => void;
}

/** Names the repositories of a nest, and which one is the first among them. */
export function RepositoryPicker({ repos, primary, typed, type, error, change }: RepositoryPickerProps) {
  const [fault, setFault] = useState<string>();
  const add = () => {
    const added = addTyped(repos, typed);
    change({ repos: added.repos });
    setFault(added.fault);
    if (added.fault === undefined) type("");
  };
  const first = repos.includes(primary) ? primary : repos[0];
  return (
    <div className="stack">
      <div className="field-line">
        <TextInput
          className="grow"
          label="Repository"
          description="owner/name, or its address; several at once when they are pasted"
          placeholder="acme/shop"
          autoComplete="off"
          spellCheck={false}
          maxLength={20_000}
          error={fault ?? error}
          value={typed}
          onChange={(event) => {
            type(event.currentTarget.value);
            setFault(undefined);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" && event.key !== ",") return;
            // Enter goes on to the next step only when nothing is left to add.
            if (typed.trim() === "" && event.key === "Enter") return;
            event.preventDefault();
            add();
          }}
        />
        <Button variant="default" onClick={add}>
          Add
        </Button>
      </div>
      {repos.length === 0 ? undefined : (
        <fieldset>
          <legend className="small soft">Which one is the primary repository?</legend>
          <ul className="picked">
            {repos.map((name) => (
              <li key={name}>
                <label>
                  <input
                    type="radio"
                    name="primary"
                    checked={name === first}
                    onChange={() => change({ primary: name })}
                  />
                  <bdi>{name}</bdi>
                </label>
                <button
                  type="button"
                  className="icon-button"
                  aria-label={`Take ${name} out`}
                  onClick={() => change({ repos: repos.filter((one) => one !== name) })}
                >
                  <IconX size={16} aria-hidden="true" />
                </button>
              </li>
            ))}
          </ul>
        </fieldset>
      )}
    </div>
  );
}
