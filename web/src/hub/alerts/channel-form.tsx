import { Checkbox, NumberInput, PasswordInput, Select, Textarea, TextInput } from "@mantine/core";
import { alerts, hubAlertKinds, notificationKinds } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { closeDialog, openDialog } from "../../shared/forms/dialogs.tsx";
import { DialogForm } from "../../shared/forms/form-dialog.tsx";
import { showToast } from "../../shared/toast/toast.tsx";
import { alertWords, channelKindWords, channelSecretWords } from "./alert-words.ts";
import { type ChannelDraft, configOf, draftOf, leadsElsewhere } from "./channel-draft.ts";

/** Asks for a new channel, or for changes of one. */
export function openChannelForm(channel?: alerts.AlertChannel): void {
  const dialog = openDialog({
    title: channel === undefined ? "Add a channel" : `Change ${channel.name}`,
    children: <ChannelForm channel={channel} close={() => closeDialog(dialog)} />,
  });
}

interface ChannelFormProps {
  readonly channel: alerts.AlertChannel | undefined;
  readonly close: () => void;
}

function ChannelForm({ channel, close }: ChannelFormProps) {
  const [draft, setDraft] = useState(() => draftOf(channel));
  const put = (part: Partial<ChannelDraft>) => setDraft((before) => ({ ...before, ...part }));
  const [newSecret, setNewSecret] = useState("");
  const { name } = draft;
  const losesSecret =
    channel !== undefined && channel.secret === "saved" && draft.secret === "" && leadsElsewhere(draft, channel);
  const submit = async () => {
    const { place } = (await call(alerts.saveChannel, { params: { name }, body: configOf(draft) })).value;
    await queries.invalidateQueries({ queryKey: ["alerts"] });
    if (losesSecret && newSecret.trim() !== "") {
      await call(alerts.setSecret, { params: { name }, body: { secret: newSecret, place } });
      await queries.invalidateQueries({ queryKey: ["alerts"] });
    }
    showToast(channel === undefined ? `${name} is added. Save its secret, then test it.` : `${name} is saved.`);
  };
  // Without one, no webhook is signed and Slack has no address; a topic and a mail server may need none.
  const isNeeded = losesSecret && (draft.kind === "webhook" || draft.kind === "slack");
  const isReady = name !== "" && (!isNeeded || newSecret.trim() !== "");
  return (
    <DialogForm close={close} yes="Save" isReady={isReady} submit={submit}>
      <div className="stack channel-form">
        {channel === undefined ? (
          <TextInput
            label="Name"
            description="Letters, digits, - and _"
            maxLength={50}
            data-autofocus
            value={draft.name}
            onChange={(event) => put({ name: event.currentTarget.value.trim() })}
          />
        ) : undefined}
        <Select
          label="Kind"
          allowDeselect={false}
          data={notificationKinds.map((value) => ({ value, label: channelKindWords[value] }))}
          value={draft.kind}
          onChange={(value) => put({ kind: notificationKinds.find((one) => one === value) ?? "webhook" })}
        />
        <Place draft={draft} put={put} />
        {losesSecret ? (
          <PasswordInput
            label={channelSecretWords[draft.kind]}
            description="The channel leads elsewhere now. Its saved secret was given for the old place and is deleted; give the one for the new place."
            autoComplete="off"
            value={newSecret}
            onChange={(event) => setNewSecret(event.currentTarget.value)}
          />
        ) : undefined}
        <fieldset className="stack channel-form">
          <legend>Told of</legend>
          {hubAlertKinds.map((kind) => (
            <Checkbox
              key={kind}
              label={alertWords[kind]}
              checked={draft.events.includes(kind)}
              onChange={(event) =>
                put({
                  events: event.currentTarget.checked
                    ? [...draft.events, kind]
                    : draft.events.filter((one) => one !== kind),
                })
              }
            />
          ))}
        </fieldset>
        <When draft={draft} put={put} />
      </div>
    </DialogForm>
  );
}

interface PartProps {
  readonly draft: ChannelDraft;
  readonly put: (part: Partial<ChannelDraft>) => void;
}

function Place({ draft, put }: PartProps) {
  const text = (key: "url" | "host" | "user" | "from", label: string, description?: string) => (
    <TextInput
      label={label}
      {...(description === undefined ? {} : { description })}
      value={draft[key]}
      onChange={(event) => put({ [key]: event.currentTarget.value.trim() })}
    />
  );
  if (draft.kind === "webhook") return text("url", "Address");
  if (draft.kind === "ntfy") return text("url", "Address of the topic");
  if (draft.kind === "slack")
    return text("url", "Address", "Only for programs other than Slack. Slack's own address is a secret.");
  return (
    <>
      {text("host", "Mail server")}
      <NumberInput
        label="Port"
        description="Empty: 587, or 465 with TLS from the first byte"
        min={1}
        max={65_535}
        value={draft.port}
        onChange={(value) => put({ port: String(value) })}
      />
      <Select
        label="TLS"
        data={["implicit", "starttls", "none"]}
        clearable
        value={draft.tls === "" ? null : draft.tls}
        onChange={(value) =>
          put({ tls: (["implicit", "starttls", "none"] as const).find((one) => one === value) ?? "" })
        }
      />
      {text("user", "User")}
      {text("from", "From")}
      <Textarea
        label="To"
        description="One address a line"
        autosize
        value={draft.to}
        onChange={(event) => put({ to: event.currentTarget.value })}
      />
    </>
  );
}

function When({ draft, put }: PartProps) {
  return (
    <>
      <TextInput
        label="Quiet hours"
        description="Such as 22:00-07:00. What comes meanwhile waits, and comes as one."
        value={draft.quiet_hours}
        onChange={(event) => put({ quiet_hours: event.currentTarget.value.trim() })}
      />
      <TextInput
        label="Time zone of the quiet hours"
        description="Such as Europe/Berlin. Empty: UTC."
        value={draft.timezone}
        onChange={(event) => put({ timezone: event.currentTarget.value.trim() })}
      />
      <NumberInput
        label="Minutes of a digest"
        description="Messages are gathered for so long, and come as one. Empty: each at once."
        min={1}
        max={1440}
        value={draft.digest_minutes}
        onChange={(value) => put({ digest_minutes: String(value) })}
      />
      <TextInput
        label="Variable of the secret"
        description="Dollar sign, name in braces; the name begins with NEST_ALERT_. Empty: the secret is saved here."
        value={draft.secret}
        onChange={(event) => put({ secret: event.currentTarget.value.trim() })}
      />
    </>
  );
}
