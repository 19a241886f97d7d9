import { TextInput } from "@mantine/core";
import { nests } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { closeDialog, openDialog } from "../../shared/forms/dialogs.tsx";
import { DialogForm } from "../../shared/forms/form-dialog.tsx";
import { actOnNest } from "./act-on-nest.ts";

/** Asks for another name of a nest. */
export function openRename(nest: nests.NestDetail): void {
  const dialog = openDialog({
    title: "Rename this nest",
    children: <Rename nest={nest} close={() => closeDialog(dialog)} />,
  });
}

function Rename({
  nest: { id, project_name },
  close,
}: {
  readonly nest: nests.NestDetail;
  readonly close: () => void;
}) {
  const [name, setName] = useState(project_name);
  const rename = () =>
    actOnNest(id, () => call(nests.setName, { params: { id }, body: { project_name: name } }), "It is renamed.");
  return (
    <DialogForm close={close} yes="Rename" isReady={name.trim() !== ""} submit={rename}>
      <TextInput
        data-autofocus
        label="Name"
        description="What people read. Its id, its address and its namespace stay."
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
