import { TextInput } from "@mantine/core";
import { nestConfig } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { FormDialog } from "../../shared/forms/form-dialog.tsx";
import { showToast } from "../../shared/toast/toast.tsx";

export interface AddAgentProps {
  readonly names: readonly string[];
  readonly revision: string;
  readonly isOpen: boolean;
  readonly close: () => void;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/;

/** Adds an agent to the configuration, switched off: it works when it is switched on. */
export function AddAgent({ names, revision, isOpen, close }: AddAgentProps) {
  const [name, setName] = useState("");
  const [backend, setBackend] = useState("claude");
  const fault = faultOf(name.trim(), names);
  return (
    <FormDialog
      title="Add an agent"
      isOpen={isOpen}
      close={close}
      yes="Add"
      isReady={name.trim() !== "" && fault === undefined && backend.trim() !== ""}
      submit={async () => {
        const agent = { [name.trim()]: { backend: backend.trim(), enabled: false } };
        await call(nestConfig.saveConfig, { query: { revision }, body: { agents: agent } });
        await queries.invalidateQueries({ queryKey: ["config"] });
        showToast(`${name.trim()} is added, and switched off.`);
      }}
    >
      <TextInput
        data-autofocus
        label="Name"
        description="Letters, digits, - and _."
        maxLength={50}
        value={name}
        error={name === "" ? undefined : fault}
        onChange={(event) => setName(event.currentTarget.value)}
      />
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

function faultOf(name: string, names: readonly string[]): string | undefined {
  if (names.includes(name)) return "There is an agent of this name.";
  return NAME.test(name) ? undefined : "Only letters, digits, - and _, beginning with a letter or digit.";
}
