import { Select, TextInput } from "@mantine/core";
import { pauses } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { plural } from "../../shared/format/format.ts";
import { closeDialog, openDialog } from "../../shared/forms/dialogs.tsx";
import { DialogForm } from "../../shared/forms/form-dialog.tsx";
import { lengths, untilAfter } from "../../shared/forms/lengths.ts";
import { showToast } from "../../shared/toast/toast.tsx";
import { endPause, type PauseTarget, reread } from "./pauses.ts";

/** Asks why and for how long something is paused, says what that touches, and pauses it. */
export function openPauseForm(target: PauseTarget): void {
  const id = openDialog({
    title: `Pause ${target.name}?`,
    children: <PauseForm target={target} close={() => closeDialog(id)} />,
  });
}

function PauseForm({ target, close }: { readonly target: PauseTarget; readonly close: () => void }) {
  const { scope, name } = target;
  const [note, setNote] = useState("");
  const [lengthMs, setLength] = useState<string>(lengths[0].value);
  return (
    <DialogForm
      close={close}
      yes="Pause"
      submit={async () => {
        await call(pauses.setPause, { body: { scope, note: note.trim(), ...untilAfter(lengthMs) } });
        await reread();
        showToast(`${name} is paused.`, () => endPause(target));
      }}
    >
      <div className="stack">
        <Effect scope={scope} />
        <TextInput
          data-autofocus
          label="Why"
          description={
            scope.kind === "repository" ? "Shown beside its issues." : "Told to their relays, and shown here."
          }
          maxLength={500}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <Select
          label="For how long"
          data={[...lengths]}
          value={lengthMs}
          allowDeselect={false}
          onChange={(value) => setLength(value ?? lengths[0].value)}
        />
      </div>
    </DialogForm>
  );
}

function Effect({ scope }: { readonly scope: pauses.PauseScope }) {
  const { data } = useQuery({
    queryKey: ["pauses", "effect", scope],
    queryFn: async ({ signal }) => (await call(pauses.pauseEffect, { query: { ...scope }, signal })).value,
    staleTime: 0,
  });
  return (
    <p className="effect" role="status">
      {data === undefined ? "" : effectWords(scope, data)}
    </p>
  );
}

function effectWords({ kind }: pauses.PauseScope, { relays, tasks, issues }: pauses.PauseEffect): string {
  const goOn = tasks === 0 ? "Nothing of it is under way." : `${plural(tasks, "task")} under way will go on.`;
  const unoffered = `${plural(issues, "issue")} will be offered to nobody.`;
  const idle = `${plural(relays, "connected relay")} will get no work.`;
  return [
    ...(kind === "repository" ? [] : [idle]),
    ...(issues > 0 || kind === "repository" ? [unoffered] : []),
    goOn,
  ].join(" ");
}
