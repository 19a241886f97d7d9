import { Select, Textarea, TextInput } from "@mantine/core";
import { beadLimits, nestLedger } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { FormDialog } from "../../shared/forms/form-dialog.tsx";
import { showToast } from "../../shared/toast/toast.tsx";
import { priorities } from "./bead-words.ts";
import { beadsKey } from "./change-bead.ts";

export interface NewBeadProps {
  /** The agents that have a ledger. */
  readonly agents: readonly string[];
  readonly agent: string;
  readonly isOpen: boolean;
  readonly close: () => void;
}

/** Writes something down in an agent's ledger. */
export function NewBead({ agents, agent, isOpen, close }: NewBeadProps) {
  const [chosen, setChosen] = useState<string>();
  // Opened before the agents are known, it takes the first as soon as they are.
  const owner = chosen ?? (agents.includes(agent) ? agent : (agents[0] ?? ""));
  const [title, setTitle] = useState("");
  const [priority, setPriority] = useState("2");
  const [notes, setNotes] = useState("");
  return (
    <FormDialog
      title="Write something down"
      isOpen={isOpen}
      close={close}
      yes="Write down"
      isReady={owner !== "" && title.trim() !== ""}
      submit={async () => {
        const body = { title: title.trim(), priority: Number(priority), notes };
        const { bead } = (await call(nestLedger.createBead, { params: { agent: owner }, body })).value;
        await queries.invalidateQueries({ queryKey: [beadsKey] });
        showToast(`${bead.id} is in the ledger of ${owner}.`);
      }}
    >
      <TextInput
        data-autofocus
        label="What is to do"
        maxLength={beadLimits.titleCharacters}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <div className="field-row after">
        <Select
          label="Agent"
          data={[...agents]}
          value={owner === "" ? null : owner}
          allowDeselect={false}
          onChange={(value) => setChosen(value ?? undefined)}
        />
        <Select
          label="Priority"
          data={priorities.map((words, nth) => ({ value: String(nth), label: words }))}
          value={priority}
          allowDeselect={false}
          onChange={(value) => setPriority(value ?? "2")}
        />
      </div>
      <Textarea
        mt="sm"
        label="Notes"
        autosize
        minRows={3}
        maxLength={beadLimits.notesCharacters}
        value={notes}
        onChange={(event) => setNotes(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
