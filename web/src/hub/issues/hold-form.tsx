import { useState } from "react";
import { queries } from "../../shared/call/queries.ts";
import { closeDialog, openDialog } from "../../shared/forms/dialogs.tsx";
import { DialogForm } from "../../shared/forms/form-dialog.tsx";
import { holdIssue } from "../operations/queue-actions.ts";
import { HoldFields, holdOf, newHold } from "./hold-fields.tsx";

/** Asks why and for how long an issue is offered to nobody, and holds it. */
export function openHoldForm(key: string): void {
  const id = openDialog({
    title: `Hold ${key} back`,
    children: <HoldForm issue={key} close={() => closeDialog(id)} />,
  });
}

function HoldForm({ issue, close }: { readonly issue: string; readonly close: () => void }) {
  const [draft, setDraft] = useState(newHold);
  const submit = async () => {
    await holdIssue(issue, holdOf(draft));
    await queries.invalidateQueries({ queryKey: ["issue"] });
  };
  return (
    <DialogForm close={close} yes="Hold back" submit={submit}>
      <HoldFields
        draft={draft}
        description="Shown beside the issue. It is offered to nobody; who works on it goes on."
        change={setDraft}
      />
    </DialogForm>
  );
}
