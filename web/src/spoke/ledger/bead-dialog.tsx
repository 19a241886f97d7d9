import { Button, Select, Textarea, TextInput } from "@mantine/core";
import { beadLimits, beadStatuses, beadTypes, nestLedger } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { dateAndTime } from "../../shared/format/format.ts";
import { useSubmit } from "../../shared/forms/confirm.tsx";
import { DialogBox } from "../../shared/forms/dialogs.tsx";
import { Fact, Facts } from "../../shared/layout/facts.tsx";
import { LoadFailed } from "../../shared/states/states.tsx";
import { showToast } from "../../shared/toast/toast.tsx";
import { useRefusal } from "../session/session.ts";
import { priorities, statusWords } from "./bead-words.ts";
import { changeBead } from "./change-bead.ts";

type LedgerBead = nestLedger.LedgerBead;

const statusChoices = beadStatuses.map((value) => ({ value, label: statusWords(value) }));
const priorityChoices = priorities.map((words, nth) => ({ value: String(nth), label: words }));

/** All of one bead, to read and, for whoever may, to change. */
export function BeadDialog({ bead, close }: { readonly bead: LedgerBead; readonly close: () => void }) {
  const refusal = useRefusal("operate");
  const [title, setTitle] = useState(bead.title);
  const [type, setType] = useState(bead.type);
  const [status, setStatus] = useState(bead.status);
  const [priority, setPriority] = useState(bead.priority);
  const [notes, setNotes] = useState(bead.notes);
  const change = changeOf(bead, { title: title.trim(), type, status, priority, notes });
  const { isPending, problem, run } = useSubmit(async () => {
    const params = { agent: bead.agent, id: bead.id };
    await changeBead(bead, { ...bead, ...change }, () => call(nestLedger.updateBead, { params, body: change }));
    showToast("Written into the ledger.");
    close();
  });
  const isReady = refusal === undefined && title.trim() !== "" && Object.keys(change).length > 0;
  return (
    <DialogBox isOpen close={close} title={bead.id} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) run();
        }}
      >
        <fieldset className="card" disabled={refusal !== undefined}>
          <TextInput
            label="Title"
            maxLength={beadLimits.titleCharacters}
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
          />
          <div className="field-row">
            <Select
              label="Status"
              data={statusChoices}
              value={status}
              allowDeselect={false}
              onChange={(value) => setStatus(beadStatuses.find((one) => one === value) ?? status)}
            />
            <Select
              label="Priority"
              data={priorityChoices}
              value={String(priority)}
              allowDeselect={false}
              onChange={(value) => setPriority(Number(value ?? priority))}
            />
            <Select
              label="Type"
              data={[...beadTypes]}
              value={type}
              allowDeselect={false}
              onChange={(value) => setType(beadTypes.find((one) => one === value) ?? type)}
            />
          </div>
          <Textarea
            label="Notes"
            autosize
            minRows={4}
            maxRows={16}
            maxLength={beadLimits.notesCharacters}
            value={notes}
            onChange={(event) => setNotes(event.currentTarget.value)}
          />
        </fieldset>
        <BeadFacts bead={bead} />
        {problem === undefined ? undefined : <LoadFailed problem={problem} />}
        {refusal === undefined ? undefined : <p className="soft small">{refusal}</p>}
        <div className="dialog-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" disabled={!isReady} loading={isPending}>
            Save
          </Button>
        </div>
      </form>
    </DialogBox>
  );
}

function BeadFacts({ bead }: { readonly bead: LedgerBead }) {
  const { agent, actor, external_ref: reference, created_at: made, updated_at: changed, closed_at: closed } = bead;
  return (
    <div className="after">
      <Facts>
        <Fact name="Ledger of">{agent}</Fact>
        <Fact name="Worked on by">{actor}</Fact>
        {reference === undefined ? undefined : <Fact name="Elsewhere">{reference}</Fact>}
        <Fact name="Waits for">{bead.waits_for.length === 0 ? "nothing" : bead.waits_for.join(", ")}</Fact>
        {bead.waited_for_by.length === 0 ? undefined : (
          <Fact name="Waited for by">{bead.waited_for_by.join(", ")}</Fact>
        )}
        <Fact name="Written down">{dateAndTime(made)}</Fact>
        <Fact name="Changed">{dateAndTime(changed)}</Fact>
        {closed === undefined ? undefined : <Fact name="Done">{dateAndTime(closed)}</Fact>}
      </Facts>
    </div>
  );
}

type Editable = Pick<LedgerBead, "title" | "type" | "status" | "priority" | "notes">;

/** The keys that differ. */
function changeOf(bead: LedgerBead, now: Editable): Partial<Editable> {
  return Object.fromEntries(
    Object.entries(now).filter(([key, value]) => bead[key as keyof Editable] !== value),
  ) as Partial<Editable>;
}
