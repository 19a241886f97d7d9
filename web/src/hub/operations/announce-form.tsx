import { Textarea } from "@mantine/core";
import { governor } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { closeDialog, openDialog } from "../../shared/forms/dialogs.tsx";
import { DialogForm } from "../../shared/forms/form-dialog.tsx";
import { showToast } from "../../shared/toast/toast.tsx";

/** Asks what to announce to everybody, and announces it. `announcement`: what is announced now. */
export function openAnnounceForm(announcement: string): void {
  const id = openDialog({
    title: "Announce to everybody",
    children: <AnnounceForm announcement={announcement} close={() => closeDialog(id)} />,
  });
}

interface AnnounceFormProps {
  readonly announcement: string;
  readonly close: () => void;
}

function AnnounceForm({ announcement, close }: AnnounceFormProps) {
  const [text, setText] = useState(announcement);
  const words = text.trim();
  return (
    <DialogForm
      close={close}
      yes={words === "" && announcement !== "" ? "Take it back" : "Announce"}
      isReady={words !== announcement}
      submit={async () => {
        const put = (text: string, ifMatch?: string) =>
          call(governor.changeGovernor, { body: { contribute_announcement: text }, ifMatch });
        const { etag } = await put(words);
        showToast(
          words === "" ? "The announcement is taken back." : "Announced to every relay and on the public pages.",
          // Refused where somebody changed anything meanwhile: what they announce stays.
          () => put(announcement, etag),
        );
      }}
    >
      <Textarea
        data-autofocus
        label="What relays and visitors are told"
        description="Relays get it at once and when they connect; the public pages show it. Empty takes it back."
        maxLength={500}
        autosize
        minRows={3}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
