import { PasswordInput } from "@mantine/core";
import { alerts } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { closeDialog, openDialog } from "../../shared/forms/dialogs.tsx";
import { DialogForm } from "../../shared/forms/form-dialog.tsx";
import { showToast } from "../../shared/toast/toast.tsx";
import { channelSecretWords } from "./alert-words.ts";

/** Asks for a channel's secret, which is never shown again. */
export function openSecretForm(channel: alerts.AlertChannel): void {
  const dialog = openDialog({
    title: `Secret of ${channel.name}`,
    children: <SecretForm channel={channel} close={() => closeDialog(dialog)} />,
  });
}

function SecretForm({ channel, close }: { readonly channel: alerts.AlertChannel; readonly close: () => void }) {
  const [secret, setSecret] = useState("");
  const { secret: variable } = channel.config;
  const submit = async () => {
    await call(alerts.setSecret, { params: { name: channel.name }, body: { secret, place: channel.place } });
    await queries.invalidateQueries({ queryKey: ["alerts"] });
    showToast(variable ? `${channel.name} may use ${variable} there.` : `The secret of ${channel.name} is saved.`);
  };
  return (
    <DialogForm close={close} yes="Save the secret" isReady={secret.trim() !== ""} submit={submit}>
      <PasswordInput
        label={variable ? `What is in ${variable}` : channelSecretWords[channel.kind]}
        description={
          variable
            ? "The hub compares it with the variable and keeps nothing of it. It goes nowhere but where the channel leads now"
            : "It is kept in a file of this hub, never shown again, and goes nowhere but where the channel leads now"
        }
        autoComplete="off"
        data-autofocus
        value={secret}
        onChange={(event) => setSecret(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
