import { Button, Select, TextInput } from "@mantine/core";
import { type contributors, pauses } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { serverNow } from "../../shared/call/server-time.ts";
import { dateAndTime } from "../../shared/format/format.ts";
import { FormDialog } from "../../shared/forms/form-dialog.tsx";
import { Panel } from "../../shared/layout/panel.tsx";
import { attempt, showToast } from "../../shared/toast/toast.tsx";

const HOUR_MS = 3_600_000;
/** For how long; 0: until an admin ends it. */
const lengths = [
  { value: String(HOUR_MS), label: "1 hour" },
  { value: String(8 * HOUR_MS), label: "8 hours" },
  { value: String(24 * HOUR_MS), label: "1 day" },
  { value: String(7 * 24 * HOUR_MS), label: "1 week" },
  { value: "0", label: "until it is ended" },
] as const;

/** Whether a contributor is paused, by whom and why; an admin begins and ends it here. */
export function PausePanel({ one }: { readonly one: contributors.ContributorRow }) {
  const [isAsking, setAsking] = useState(false);
  const scope = { kind: "contributor", contributor_id: one.contributor_id } as const;
  return (
    <Panel id="pause" title="Pause">
      <div className="pad stack">
        <PauseWords one={one} />
        <div className="card-acts">
          {one.pause === undefined ? (
            <Button variant="default" onClick={() => setAsking(true)}>
              Pause…
            </Button>
          ) : (
            <Button variant="default" onClick={() => attempt(() => endPause(scope, one.github_username))}>
              End the pause
            </Button>
          )}
        </div>
      </div>
      <PauseDialog login={one.github_username} scope={scope} isOpen={isAsking} close={() => setAsking(false)} />
    </Panel>
  );
}

function PauseWords({ one }: { readonly one: contributors.ContributorRow }) {
  const { pause } = one;
  if (pause === undefined)
    return (
      <p className="soft small">
        A pause gives <bdi>{one.github_username}</bdi> no work for a while. What is under way goes on, nothing is
        counted, and their relays are told why.
      </p>
    );
  const { note, by, until } = pause;
  return (
    <p>
      Paused by <bdi>{by}</bdi> {until === undefined ? "until it is ended" : `until ${dateAndTime(until)}`}
      {note === "" ? undefined : (
        <>
          : <bdi>{note}</bdi>
        </>
      )}
    </p>
  );
}

interface PauseDialogProps {
  readonly login: string;
  readonly scope: pauses.PauseScope;
  readonly isOpen: boolean;
  readonly close: () => void;
}

function PauseDialog({ login, scope, isOpen, close }: PauseDialogProps) {
  const [note, setNote] = useState("");
  const [lengthMs, setLength] = useState<string>(lengths[0].value);
  return (
    <FormDialog
      title={`Pause ${login}?`}
      isOpen={isOpen}
      close={close}
      yes="Pause"
      submit={async () => {
        const forMs = Number(lengthMs);
        const until = forMs === 0 ? {} : { until: new Date(serverNow() + forMs).toISOString() };
        await call(pauses.setPause, { body: { scope, note: note.trim(), ...until } });
        setNote("");
        await queries.invalidateQueries({ queryKey: ["contributor"] });
        showToast(`${login} is paused.`, () => endPause(scope, login));
      }}
    >
      <div className="stack">
        <TextInput
          data-autofocus
          label="Why"
          description="Told to their relays, and shown here."
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
    </FormDialog>
  );
}

async function endPause(scope: pauses.PauseScope, login: string): Promise<void> {
  await call(pauses.endPause, { body: { scope } });
  await queries.invalidateQueries({ queryKey: ["contributor"] });
  showToast(`The pause of ${login} is over.`);
}
