import { Checkbox, NumberInput, Radio, TextInput } from "@mantine/core";
import { apiTokens, type TokenScope, tokenScopes } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { closeDialog, openDialog } from "../../shared/forms/dialogs.tsx";
import { DialogForm } from "../../shared/forms/form-dialog.tsx";

/** What each scope lets a token do. */
const scopeWords: Readonly<Record<TokenScope, string>> = {
  read: "See everything that an admin sees: queue, relays, tasks, settings, audit",
  operate: "Also act: hold, order, offer again, take back, disconnect, pause, revoke a contributor",
  configure: "Also change settings, trust, roles, quotas and clusters",
};

/** Asks for a new token; `show` is given the token, which comes this once. */
export function openMakeToken(show: (made: Made) => void): void {
  const dialog = openDialog({
    title: "Make an API token",
    children: <MakeToken show={show} close={() => closeDialog(dialog)} />,
  });
}

export interface Made {
  readonly token: string;
  readonly about: apiTokens.ApiToken;
}

function MakeToken({ show, close }: { readonly show: (made: Made) => void; readonly close: () => void }) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<TokenScope>("read");
  const [days, setDays] = useState<number | string>(apiTokens.TOKEN_DAYS);
  const [hasNoEnd, setNoEnd] = useState(false);
  const isDays = typeof days === "number" && days >= 1 && days <= apiTokens.MOST_TOKEN_DAYS;
  const submit = async () => {
    const end = hasNoEnd ? { never_ends: true as const } : { days: Number(days) };
    show((await call(apiTokens.make, { body: { name: name.trim(), scope, ...end } })).value);
    await queries.invalidateQueries({ queryKey: ["api-tokens"] });
  };
  return (
    <DialogForm close={close} yes="Make the token" isReady={name.trim() !== "" && (hasNoEnd || isDays)} submit={submit}>
      <div className="token-form">
        <TextInput
          label="Name"
          description="What it is for; the audit names it"
          autoComplete="off"
          data-autofocus
          maxLength={60}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Radio.Group
          label="What may it do?"
          value={scope}
          onChange={(value) => setScope(tokenScopes.find((one) => one === value) ?? "read")}
        >
          <div className="token-form">
            {tokenScopes.map((one) => (
              <Radio key={one} value={one} label={one} description={scopeWords[one]} />
            ))}
          </div>
        </Radio.Group>
        <NumberInput
          label="Days until it ends"
          description={`At most ${apiTokens.MOST_TOKEN_DAYS}`}
          min={1}
          max={apiTokens.MOST_TOKEN_DAYS}
          allowDecimal={false}
          disabled={hasNoEnd}
          value={days}
          onChange={setDays}
        />
        <Checkbox
          label="It has no end"
          description="Whoever finds it can use it until somebody revokes it. Rather give it a year."
          checked={hasNoEnd}
          onChange={(event) => setNoEnd(event.currentTarget.checked)}
        />
      </div>
    </DialogForm>
  );
}
