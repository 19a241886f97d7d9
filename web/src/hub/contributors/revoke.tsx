import { Button, TextInput } from "@mantine/core";
import { modals } from "@mantine/modals";
import { contributors } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { attempt } from "../../shared/toast/toast.tsx";

export interface Revoked {
  readonly id: string;
  readonly login: string;
}

/** Asks whether to revoke somebody, who has to be named for it: it cannot be undone. */
export function askToRevoke(who: Revoked): void {
  modals.open({ modalId: "revoke", title: "Revoke access for good?", children: <Revoke {...who} /> });
}

function Revoke({ id, login }: Revoked) {
  const [typed, setTyped] = useState("");
  const close = () => modals.close("revoke");
  const isNamed = typed.trim().toLowerCase() === login.toLowerCase();
  const revoke = () =>
    attempt(() => call(contributors.revoke, { params: { id } }), `${login} has no access any more.`, close);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isNamed) revoke();
      }}
    >
      <ul className="consequences">
        <li>
          Every relay of <bdi>{login}</bdi> is disconnected now, and refused when it comes back.
        </li>
        <li>Tasks they hold are released; the issues wait ten minutes.</li>
        <li>They leave the leaderboard. Their history stays.</li>
        <li>There is no way back: a revoked contributor stays revoked.</li>
      </ul>
      <TextInput
        data-autofocus
        label={`Type ${login} to confirm`}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <div className="dialog-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" color="red" disabled={!isNamed}>
          Revoke for good
        </Button>
      </div>
    </form>
  );
}
