import { Checkbox, NumberInput, PasswordInput, Select, Textarea, TextInput } from "@mantine/core";
import { type alerts, hubAlertKinds, notificationKinds } from "@nest/protocol";
import { closeDialog, openDialog } from "../../shared/forms/dialogs.tsx";
import { DialogForm } from "../../shared/forms/form-dialog.tsx";
import { alertWords, channelKindWords, channelSecretWords } from "./alert-words.ts";
import type { ChannelDraft } from "./channel-draft.ts";
import type { ChannelFaults } from "./channel-faults.ts";
import { News } from "./channel-news.tsx";
import { fieldNames, useChannelForm } from "./use-channel-form.ts";

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
  const form = useChannelForm(channel);
  const { draft, put, faults, news, asksFor } = form;
  return (
    <DialogForm close={close} yes="Save" check={form.check} submit={form.submit}>
      <div className="stack channel-form" ref={form.ref}>
        {news === undefined ? undefined : <News key={news.by?.at} news={news} takeTheirs={form.takeTheirs} />}
        {channel === undefined ? (
          <TextInput
            label={fieldNames.name}
            description="Letters, digits, - and _"
            maxLength={50}
            data-autofocus
            value={draft.name}
            error={faults.name}
            onChange={(event) => put({ name: event.currentTarget.value.trim() })}
          />
        ) : undefined}
        <Select
          label={fieldNames.kind}
          allowDeselect={false}
          data={notificationKinds.map((value) => ({ value, label: channelKindWords[value] }))}
          value={draft.kind}
          onChange={(value) => put({ kind: notificationKinds.find((one) => one === value) ?? "webhook" })}
        />
        <Place draft={draft} put={put} faults={faults} />
        <fieldset className="stack channel-form">
          <legend>{fieldNames.events}</legend>
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
        <When draft={draft} put={put} faults={faults} />
        {asksFor === undefined ? undefined : (
          <PasswordInput
            label={asksFor === "saved" ? channelSecretWords[draft.kind] : `What is in ${draft.secret}`}
            description={secretDescriptions[asksFor]}
            autoComplete="off"
            value={form.newSecret}
            error={form.secretFault}
            aria-invalid={form.secretFault !== undefined}
            onChange={(event) => form.setNewSecret(event.currentTarget.value)}
          />
        )}
      </div>
    </DialogForm>
  );
}

const secretDescriptions = {
  saved:
    "The channel leads elsewhere now. Its saved secret was given for the old place and is deleted; give the one for the new place.",
  variable:
    "A secret in a variable goes only where somebody who knows it says that it may. The hub compares what you write, and keeps nothing of it.",
} as const;

interface PartProps {
  readonly draft: ChannelDraft;
  readonly put: (part: Partial<ChannelDraft>) => void;
  readonly faults: ChannelFaults;
}

function Place({ draft, put, faults }: PartProps) {
  const text = (key: "url" | "host" | "user" | "from", label: string, description?: string) => (
    <TextInput
      label={label}
      {...(description === undefined ? {} : { description })}
      value={draft[key]}
      error={faults[key]}
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
        error={faults.port}
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
        error={faults.to}
        onChange={(event) => put({ to: event.currentTarget.value })}
      />
    </>
  );
}

function When({ draft, put, faults }: PartProps) {
  return (
    <>
      <TextInput
        label="Quiet hours"
        description="Such as 22:00-07:00. What comes meanwhile waits, and comes as one."
        value={draft.quiet_hours}
        error={faults.quiet_hours}
        onChange={(event) => put({ quiet_hours: event.currentTarget.value.trim() })}
      />
      <TextInput
        label="Time zone of the quiet hours"
        description="Such as Europe/Berlin. Empty: UTC."
        value={draft.timezone}
        error={faults.timezone}
        onChange={(event) => put({ timezone: event.currentTarget.value.trim() })}
      />
      <NumberInput
        label="Minutes of a digest"
        description="Messages are gathered for so long, and come as one. Empty: each at once."
        min={1}
        max={1440}
        value={draft.digest_minutes}
        error={faults.digest_minutes}
        onChange={(value) => put({ digest_minutes: String(value) })}
      />
      <TextInput
        label="Variable of the secret"
        description="Dollar sign, name in braces; the name begins with NEST_ALERT_. Empty: the secret is saved here."
        value={draft.secret}
        error={faults.secret}
        onChange={(event) => put({ secret: event.currentTarget.value.trim() })}
      />
    </>
  );
}
