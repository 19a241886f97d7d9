import { Textarea } from "@mantine/core";
import { contributors } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { closeDialog, openDialog } from "../../shared/forms/dialogs.tsx";
import { DialogForm } from "../../shared/forms/form-dialog.tsx";
import { showToast } from "../../shared/toast/toast.tsx";
import type { Recipient } from "./messages.tsx";

/** Asks what to write to a contributor, and sends it. */
export function openMessageForm(to: Recipient): void {
  const id = openDialog({
    title: `Write to ${to.login}`,
    children: <MessageForm to={to} close={() => closeDialog(id)} />,
  });
}

function MessageForm({ to, close }: { readonly to: Recipient; readonly close: () => void }) {
  const [text, setText] = useState("");
  const about = to.taskId === undefined ? {} : { task_id: to.taskId };
  return (
    <DialogForm
      close={close}
      yes="Send"
      isReady={text.trim() !== ""}
      submit={async () => {
        await call(contributors.sendMessage, { params: { id: to.id }, body: { text: text.trim(), ...about } });
        await queries.invalidateQueries({ queryKey: ["contributor"] });
        showToast(`${to.login} was written to.`);
      }}
    >
      <Textarea
        data-autofocus
        label="What to tell them"
        description={`${to.taskId === undefined ? "Their connected relays print it" : "The relay that has the task prints it"}, and they see it under My contributions. One line of plain text; it cannot be taken back.`}
        maxLength={contributors.LONGEST_MESSAGE}
        autosize
        minRows={1}
        value={text}
        onChange={(event) => setText(event.currentTarget.value.replaceAll("\n", " "))}
        // It is one line, however long: Enter sends it.
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
    </DialogForm>
  );
}
