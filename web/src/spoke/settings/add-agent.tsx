import { TextInput } from "@mantine/core";
import { useState } from "react";
import { FormDialog } from "../../shared/forms/form-dialog.tsx";
import { showToast } from "../../shared/toast/toast.tsx";
import { saveEntry } from "./config.ts";
import { faultOfName, NameField } from "./entry-name.tsx";

export interface AddAgentProps {
  readonly names: readonly string[];
  readonly revision: string;
  readonly close: () => void;
}

/** Adds an agent to the configuration, switched off: it works when it is switched on. */
export function AddAgent({ names, revision, close }: AddAgentProps) {
  const [name, setName] = useState("");
  const [backend, setBackend] = useState("claude");
  const fault = faultOfName(name.trim(), names, "agent");
  return (
    <FormDialog
      title="Add an agent"
      isOpen
      close={close}
      yes="Add"
      isReady={name.trim() !== "" && fault === undefined && backend.trim() !== ""}
      submit={async () => {
        const agent = { [name.trim()]: { backend: backend.trim(), enabled: false } };
        await saveEntry({ agents: agent }, revision);
        showToast(`${name.trim()} is added, and switched off.`);
      }}
    >
      <NameField name={name} fault={fault} change={setName} />
      <TextInput
        mt="sm"
        label="Backend"
        description="The agent CLI that it works with, such as claude or codex."
        maxLength={40}
        value={backend}
        onChange={(event) => setBackend(event.currentTarget.value)}
      />
      <p className="soft small after">It begins switched off, so that you can set it up first.</p>
    </FormDialog>
  );
}
