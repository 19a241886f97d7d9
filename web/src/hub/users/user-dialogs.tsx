import { Checkbox, TextInput } from "@mantine/core";
import { nests } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { plural } from "../../shared/format/format.ts";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { closeDialog, openDialog } from "../../shared/forms/dialogs.tsx";
import { DialogForm } from "../../shared/forms/form-dialog.tsx";
import { showToast } from "../../shared/toast/toast.tsx";

type Change = { readonly saas_quota?: number | null; readonly blocked?: boolean };

async function put(login: string, body: Change): Promise<void> {
  await call(nests.setUser, { params: { login }, body });
  await queries.invalidateQueries({ queryKey: ["users"] });
}

/** Asks how many nests somebody may have. */
export function openQuota(user: nests.User): void {
  const dialog = openDialog({
    title: `Quota of ${user.github_username}`,
    children: <Quota user={user} close={() => closeDialog(dialog)} />,
  });
}

function Quota({ user, close }: { readonly user: nests.User; readonly close: () => void }) {
  const { github_username: login, saas_quota: before, saas_used: used } = user;
  const [isUnlimited, setUnlimited] = useState(before === undefined);
  const [most, setMost] = useState(String(before ?? used));
  const isNumber = /^\d{1,5}$/.test(most.trim()) && Number(most) <= 10_000;
  const save = async () => {
    const quota = isUnlimited ? null : Number(most);
    await put(login, { saas_quota: quota });
    showToast(
      quota === null ? `${login} may have as many nests as they like.` : `${login} may have ${plural(quota, "nest")}.`,
      () => put(login, { saas_quota: before ?? null }),
    );
  };
  return (
    <DialogForm close={close} yes="Save" isReady={isUnlimited || isNumber} submit={save}>
      <div className="stack">
        <Checkbox
          label="As many as they like"
          checked={isUnlimited}
          onChange={(event) => setUnlimited(event.currentTarget.checked)}
        />
        <TextInput
          label="Nests at most"
          description={`They have ${used} now. None of those goes when the number is lower; no new one is made.`}
          inputMode="numeric"
          autoComplete="off"
          disabled={isUnlimited}
          error={isUnlimited || isNumber ? undefined : "a whole number, at most 10,000"}
          value={most}
          onChange={(event) => setMost(event.currentTarget.value)}
        />
      </div>
    </DialogForm>
  );
}

/** Asks whether to block somebody, or to let them in again. */
export function askToBlock({ github_username: login, blocked, nests: roles, saas_used: used }: nests.User): void {
  openConfirm({
    title: blocked ? `Let ${login} in again?` : `Block ${login}?`,
    consequences: blocked ? (
      <p>They may sign in, and have the roles that they had.</p>
    ) : (
      <ul className="consequences">
        <li>
          They are nobody here from now on: on the hub, on {plural(Object.keys(roles).length, "nest")} they have a role
          on.
        </li>
        <li>
          {used === 0
            ? "They own no nest."
            : `${plural(used, "nest")} of theirs ${used === 1 ? "goes" : "go"} on; only other owners and admins come in.`}
        </li>
        <li>Their roles are kept, for when they are let in again.</li>
      </ul>
    ),
    yes: blocked ? "Let in" : "Block",
    dangerous: !blocked,
    act: async () => {
      await put(login, { blocked: !blocked });
      showToast(blocked ? `${login} may come in again.` : `${login} is blocked.`, () => put(login, { blocked }));
    },
  });
}

/** Shows on which nests somebody has which role. */
export function openRoles({ github_username: login, nests: roles }: nests.User): void {
  openDialog({
    title: `Roles of ${login}`,
    children: (
      <ul className="plain-list roles">
        {Object.entries(roles).map(([id, role]) => (
          <li key={id} className="line">
            {/* A dialog stands outside the router. */}
            <a href={`/my-nests/${encodeURIComponent(id)}`}>{id}</a>
            <span className="soft">{role}</span>
          </li>
        ))}
      </ul>
    ),
  });
}
