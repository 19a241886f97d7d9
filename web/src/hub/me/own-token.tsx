import { Button, CopyButton } from "@mantine/core";
import { contribute } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { Panel } from "../../shared/layout/panel.tsx";

/** A new registration token in place of the old one. It is shown once, on this page alone, and kept nowhere. */
export function OwnToken() {
  const [token, setToken] = useState<string>();
  return (
    <Panel id="token" title="Registration token">
      <div className="pad stack">
        {token === undefined ? (
          <p className="soft small">
            It is in ~/.config/nest/contributor.env of the machine that registered, and shown nowhere. Lost it, or
            somebody else has it? A new one makes the old one worthless.
          </p>
        ) : (
          <>
            <p className="small">
              Your new token, shown this once. Put it into ~/.config/nest/contributor.env as NEST_REGISTRATION_TOKEN,
              and start your relays anew.
            </p>
            <pre className="cut" data-testid="new-token">
              <code>{token}</code>
            </pre>
          </>
        )}
        <div className="line">
          {token === undefined ? undefined : (
            <CopyButton value={token}>
              {({ copied, copy }) => <Button onClick={copy}>{copied ? "Copied" : "Copy"}</Button>}
            </CopyButton>
          )}
          <Button variant="default" onClick={() => askForToken(setToken)}>
            New token…
          </Button>
        </div>
      </div>
    </Panel>
  );
}

function askForToken(show: (token: string | undefined) => void): void {
  openConfirm({
    title: "Issue a new token?",
    consequences: "The old token stops working at once: every relay that has it is refused at its next connection.",
    yes: "Issue a new token",
    dangerous: true,
    act: async () => show((await call(contribute.reissueToken, { body: {} })).value.registration_token),
  });
}
