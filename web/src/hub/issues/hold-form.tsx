import { Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { queries } from "../../shared/call/queries.ts";
import { closeDialog, openDialog } from "../../shared/forms/dialogs.tsx";
import { DialogForm } from "../../shared/forms/form-dialog.tsx";
import { lengths, untilAfter } from "../../shared/forms/lengths.ts";
import { holdIssue } from "../operations/queue-actions.ts";

const ends = lengths.map((one) => (one.value === "0" ? { ...one, label: "until somebody lets it go" } : one));

/** Asks why and for how long an issue is offered to nobody, and holds it. */
export function openHoldForm(key: string): void {
  const id = openDialog({
    title: `Hold ${key} back`,
    children: <HoldForm issue={key} close={() => closeDialog(id)} />,
  });
}

function HoldForm({ issue, close }: { readonly issue: string; readonly close: () => void }) {
  const [reason, setReason] = useState("");
  const [lengthMs, setLength] = useState("0");
  return (
    <DialogForm
      close={close}
      yes="Hold back"
      submit={async () => {
        await holdIssue(issue, { reason: reason.trim(), ...untilAfter(lengthMs) });
        await queries.invalidateQueries({ queryKey: ["issue"] });
      }}
    >
      <div className="stack">
        <TextInput
          data-autofocus
          label="Why"
          description="Shown beside the issue. It is offered to nobody; who works on it goes on."
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Select
          label="For how long"
          data={ends}
          value={lengthMs}
          allowDeselect={false}
          onChange={(value) => setLength(value ?? "0")}
        />
      </div>
    </DialogForm>
  );
}
