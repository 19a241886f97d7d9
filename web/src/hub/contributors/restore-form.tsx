import { TextInput } from "@mantine/core";
import { contributors } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { closeDialog, openDialog } from "../../shared/forms/dialogs.tsx";
import { DialogForm } from "../../shared/forms/form-dialog.tsx";
import { showToast } from "../../shared/toast/toast.tsx";
import type { Revoked } from "./revoke.tsx";

/** Asks why somebody who was revoked gets access again, and gives it. */
export function openRestoreForm(one: Revoked): void {
  const id = openDialog({
    title: `Give ${one.login} access again?`,
    children: <RestoreForm one={one} close={() => closeDialog(id)} />,
  });
}

function RestoreForm({ one: { id, login }, close }: { readonly one: Revoked; readonly close: () => void }) {
  const [reason, setReason] = useState("");
  return (
    <DialogForm
      close={close}
      yes="Give access again"
      isReady={reason.trim() !== ""}
      submit={async () => {
        await call(contributors.unrevoke, { params: { id }, body: { reason: reason.trim() } });
        await queries.invalidateQueries({ queryKey: ["contributor"] });
        showToast(`${login} has access again.`);
      }}
    >
      <div className="stack">
        <ul className="consequences">
          <li>
            They come back as a newcomer; pull requests from before no longer promote them, which cannot be undone.
          </li>
          <li>Their registration token works again. They have to start their relays anew.</li>
        </ul>
        <TextInput
          data-autofocus
          label="Why"
          description="Kept in the audit, and told to them."
          required
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </div>
    </DialogForm>
  );
}
