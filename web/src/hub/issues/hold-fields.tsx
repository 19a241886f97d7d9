import { Select, TextInput } from "@mantine/core";
import { lengths, untilAfter } from "../../shared/forms/lengths.ts";

const ends = lengths.map((one) => (one.value === "0" ? { ...one, label: "until somebody lets it go" } : one));

/** What an admin says of a hold: why, and for how long in milliseconds, as text; 0 has no end. */
export interface HoldDraft {
  readonly reason: string;
  readonly lengthMs: string;
}

export const newHold: HoldDraft = { reason: "", lengthMs: "0" };

/** Why and until when, for a request. The end is counted from now. */
export function holdOf({ reason, lengthMs }: HoldDraft): { readonly reason: string; readonly until?: string } {
  return { reason: reason.trim(), ...untilAfter(lengthMs) };
}

/** Asks why and for how long issues are offered to nobody. */
export function HoldFields(props: {
  readonly draft: HoldDraft;
  readonly description: string;
  readonly change: (draft: HoldDraft) => void;
}) {
  const { draft, description, change } = props;
  return (
    <div className="stack">
      <TextInput
        data-autofocus
        label="Why"
        description={description}
        maxLength={200}
        value={draft.reason}
        onChange={(event) => change({ ...draft, reason: event.currentTarget.value })}
      />
      <Select
        label="For how long"
        data={ends}
        value={draft.lengthMs}
        allowDeselect={false}
        onChange={(value) => change({ ...draft, lengthMs: value ?? "0" })}
      />
    </div>
  );
}
