import { NumberInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { FormDialog } from "../../shared/forms/form-dialog.tsx";
import { showToast } from "../../shared/toast/toast.tsx";
import { saveEntry } from "./config.ts";
import { faultOfName, NameField } from "./entry-name.tsx";
import { modeAddition } from "./mode-addition.ts";

export interface AddModeProps {
  readonly names: readonly string[];
  readonly agents: readonly string[];
  readonly revision: string;
  readonly close: () => void;
}

/** Adds a mode of the governor: from how many actionable issues on it holds, and how often each agent works in it. */
export function AddMode({ names, agents, revision, close }: AddModeProps) {
  const [name, setName] = useState("");
  const [threshold, setThreshold] = useState<number>();
  const [intervals, setIntervals] = useState<Readonly<Record<string, string>>>({});
  const fault = faultOfName(name.trim(), names, "mode");
  const isIdle = name.trim() === "idle";
  return (
    <FormDialog
      title="Add a mode"
      isOpen
      close={close}
      yes="Add"
      isReady={name.trim() !== "" && fault === undefined && (isIdle || threshold !== undefined)}
      submit={async () => {
        await saveEntry(modeAddition(name.trim(), isIdle ? 0 : (threshold ?? 0), intervals), revision);
        showToast(`The mode ${name.trim()} is added.`);
      }}
    >
      <NameField name={name} fault={fault} change={setName} />
      {isIdle ? (
        <p className="soft small after">The mode idle holds where no other does: it has no threshold.</p>
      ) : (
        <NumberInput
          mt="sm"
          label="Holds above"
          description="So many actionable issues. Of the modes that hold, the one with the highest number is in force."
          min={0}
          max={100_000}
          allowDecimal={false}
          value={threshold ?? ""}
          onChange={(typed) => setThreshold(typeof typed === "number" ? typed : undefined)}
        />
      )}
      {agents.map((agent) => (
        <TextInput
          key={agent}
          mt="sm"
          label={`${agent} works every`}
          description="A time such as 4h or 30m, or pause. Empty: every 15 minutes."
          maxLength={40}
          value={intervals[agent] ?? ""}
          onChange={(event) => setIntervals({ ...intervals, [agent]: event.currentTarget.value })}
        />
      ))}
    </FormDialog>
  );
}
