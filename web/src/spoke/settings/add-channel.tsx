import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { type NotificationKind, notificationKinds } from "@nest/protocol";
import { useState } from "react";
import { FormDialog } from "../../shared/forms/form-dialog.tsx";
import { showToast } from "../../shared/toast/toast.tsx";
import { kindWords } from "./channel-fields.ts";
import { saveEntry } from "./config.ts";
import { faultOfName, NameField } from "./entry-name.tsx";

export interface AddChannelProps {
  readonly names: readonly string[];
  readonly revision: string;
  readonly close: () => void;
}

/** Of what a new channel is told before anybody chooses. */
const FIRST_EVENTS = ["run_failed", "agent_paused", "backup"];

/** Adds a channel of notifications; its secret is saved by itself afterwards. */
export function AddChannel({ names, revision, close }: AddChannelProps) {
  const [name, setName] = useState("");
  const [kind, setKind] = useState<NotificationKind>("webhook");
  const [place, setPlace] = useState<Place>({ url: "", host: "", from: "", to: "" });
  const fault = faultOfName(name.trim(), names, "channel");
  const channel = channelOf(kind, place);
  return (
    <FormDialog
      title="Add a channel"
      isOpen
      close={close}
      yes="Add"
      isReady={name.trim() !== "" && fault === undefined && channel !== undefined}
      submit={async () => {
        await saveEntry({ notifications: { channels: { [name.trim()]: channel } } }, revision);
        showToast(`${name.trim()} is added. Save its secret, and send a test.`);
      }}
    >
      <NameField name={name} fault={fault} change={setName} />
      <NativeSelect
        mt="sm"
        label="Kind"
        data={notificationKinds.map((one) => ({ value: one, label: kindWords[one] }))}
        value={kind}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          setKind(notificationKinds.find((one) => one === chosen) ?? kind);
        }}
      />
      <PlaceInputs kind={kind} place={place} change={(part) => setPlace({ ...place, ...part })} />
      <p className="soft small after">
        It is told of failed runs, paused agents and backups at first; choose further events in its settings.
      </p>
    </FormDialog>
  );
}

interface Place {
  readonly url: string;
  readonly host: string;
  readonly from: string;
  readonly to: string;
}

interface PlaceInputsProps {
  readonly kind: NotificationKind;
  readonly place: Place;
  readonly change: (part: Partial<Place>) => void;
}

function PlaceInputs({ kind, place, change }: PlaceInputsProps) {
  const input = (key: keyof Place, label: string) => (
    <TextInput
      mt="sm"
      label={label}
      maxLength={1000}
      value={place[key]}
      onChange={(event) => change({ [key]: event.currentTarget.value })}
    />
  );
  if (kind === "slack") return undefined;
  if (kind !== "email") return input("url", kind === "ntfy" ? "Address of the topic" : "Address");
  return (
    <>
      {input("host", "Mail server")}
      {input("from", "From")}
      <Textarea
        mt="sm"
        label="To"
        description="One address a line."
        autosize
        minRows={2}
        value={place.to}
        onChange={(event) => change({ to: event.currentTarget.value })}
      />
    </>
  );
}

/** The channel as it is saved; undefined while something that it needs is missing. */
function channelOf(kind: NotificationKind, { url, host, from, to }: Place): object | undefined {
  const common = { kind, events: FIRST_EVENTS };
  if (kind === "slack") return common;
  if (kind !== "email") return url.trim() === "" ? undefined : { ...common, url: url.trim() };
  const people = to.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
  if (host.trim() === "" || from.trim() === "" || people.length === 0) return undefined;
  return { ...common, host: host.trim(), from: from.trim(), to: people };
}
