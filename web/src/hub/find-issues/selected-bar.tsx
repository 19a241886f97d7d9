import { Button } from "@mantine/core";
import { useState } from "react";
import { count, plural } from "../../shared/format/format.ts";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { closeDialog, openDialog } from "../../shared/forms/dialogs.tsx";
import { DialogForm } from "../../shared/forms/form-dialog.tsx";
import { attempt } from "../../shared/toast/toast.tsx";
import { HoldFields, holdOf, newHold } from "../issues/hold-fields.tsx";
import { holdAll, letGoAll, offerAgain, pinAll } from "./bulk-acts.ts";
import { MOST_SELECTED } from "./selection.ts";

export interface SelectedBarProps {
  readonly selected: ReadonlySet<string>;
  /** How many the filters find, selected or not. */
  readonly found: number;
  readonly selectAll: () => Promise<void>;
  readonly clear: () => void;
}

/** How many issues are selected, and what can be done with all of them. */
export function SelectedBar({ selected, found, selectAll, clear }: SelectedBarProps) {
  const keys = [...selected];
  const many = plural(keys.length, "issue");
  const ask = (title: string, consequences: string, act: (keys: readonly string[]) => Promise<void>) =>
    openConfirm({
      title,
      consequences,
      yes: title.replace(/\?$/, ""),
      act: async () => {
        await act(keys);
        clear();
      },
    });
  const asked = [
    {
      name: "Let go…",
      question: `Let ${many} go?`,
      consequences:
        "Those that an operator holds are offered in their turn, if nothing else keeps them. Why they were held is forgotten, which cannot be undone.",
      act: letGoAll,
    },
    {
      name: "Offer again…",
      question: `Offer ${many} again?`,
      consequences:
        "Their waiting after an earlier hand-out, and an operator's hold, ends now; failures counted against them are forgotten, which cannot be undone. What filters keep away stays away.",
      act: offerAgain,
    },
    {
      name: "Pin to the front…",
      question: `Pin ${many} to the front?`,
      consequences: "They are handed out first, in the order of this list, before everything that is pinned now.",
      act: pinAll,
    },
  ];
  return (
    <fieldset className="selected-bar" aria-label="With the selected issues">
      <p role="status">
        <b>{count(keys.length)}</b> selected
        {keys.length === MOST_SELECTED ? ", the most at a time" : ""}
      </p>
      <Button size="compact-sm" variant="subtle" onClick={() => attempt(selectAll)}>
        {found > MOST_SELECTED ? `Select the first ${count(MOST_SELECTED)}` : `Select all ${count(found)}`}
      </Button>
      {keys.length === 0 ? undefined : (
        <>
          <Button size="compact-sm" variant="default" onClick={() => openHold(keys, clear)}>
            Hold…
          </Button>
          {asked.map(({ name, question, consequences, act }) => (
            <Button key={name} size="compact-sm" variant="default" onClick={() => ask(question, consequences, act)}>
              {name}
            </Button>
          ))}
          <Button size="compact-sm" variant="subtle" onClick={clear}>
            Select none
          </Button>
        </>
      )}
    </fieldset>
  );
}

function openHold(keys: readonly string[], clear: () => void): void {
  const dialog = openDialog({
    title: `Hold ${plural(keys.length, "issue")} back`,
    children: <HoldAll keys={keys} clear={clear} close={() => closeDialog(dialog)} />,
  });
}

interface HoldAllProps {
  readonly keys: readonly string[];
  readonly clear: () => void;
  readonly close: () => void;
}

function HoldAll({ keys, clear, close }: HoldAllProps) {
  const [draft, setDraft] = useState(newHold);
  const submit = async () => {
    await holdAll(keys, holdOf(draft));
    clear();
  };
  return (
    <DialogForm close={close} yes={`Hold ${plural(keys.length, "issue")} back`} submit={submit}>
      <HoldFields
        draft={draft}
        description="Shown beside each. None is offered; who works on one goes on."
        change={setDraft}
      />
    </DialogForm>
  );
}
