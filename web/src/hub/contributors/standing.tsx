import { Button, Select } from "@mantine/core";
import { contributors, permissionsOf, type Tier, tiers } from "@nest/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { Panel } from "../../shared/layout/panel.tsx";
import { showToast } from "../../shared/toast/toast.tsx";
import { askToRestore } from "./restore.ts";
import { askToRevoke } from "./revoke.tsx";

/** Tiers that an admin can set; `revoked` has its own button. */
const settable = tiers.filter((tier) => tier !== "revoked");
const order: readonly Tier[] = ["newcomer", "contributor", "trusted", "merger"];

/** The trust tier and what can be done about it: promote, demote, revoke. */
export function Standing({ one }: { readonly one: contributors.ContributorRow }) {
  const { contributor_id: id, github_username: login, trust_tier: tier } = one;
  const [chosen, setChosen] = useState<Tier>();
  const client = useQueryClient();
  if (tier === "revoked")
    return (
      <Panel id="standing" title="Standing">
        <div className="pad stack">
          <p>Access was revoked: they cannot connect, register again or be promoted until an admin gives it back.</p>
          <div className="card-acts">
            <Button variant="default" onClick={() => askToRestore({ id, login })}>
              Give access again…
            </Button>
          </div>
        </div>
      </Panel>
    );
  const next = chosen ?? tier;
  return (
    <Panel id="standing" title="Standing">
      <div className="pad stack">
        <Select
          label="Trust tier"
          description={`A task of theirs may: ${permissionsOf(next).join(", ")}`}
          data={[...settable]}
          value={next}
          allowDeselect={false}
          onChange={(value) => setChosen(settable.find((name) => name === value))}
        />
        <div className="card-acts">
          <Button
            disabled={next === tier}
            onClick={() =>
              askToChange(one, next, async () => {
                // Read the contributor again before another tier can be chosen.
                await client.invalidateQueries({ queryKey: ["contributor"] });
                setChosen((now) => (now === next ? undefined : now));
              })
            }
          >
            {next === tier ? "Change tier" : `${isDemotion(tier, next) ? "Demote" : "Promote"} to ${next}`}
          </Button>
          <Button variant="light" color="red" onClick={() => askToRevoke({ id, login })}>
            Revoke access…
          </Button>
        </div>
      </div>
    </Panel>
  );
}

function isDemotion(from: Tier, to: Tier): boolean {
  return Math.max(0, order.indexOf(to)) < Math.max(0, order.indexOf(from));
}

function askToChange(one: contributors.ContributorRow, tier: Tier, after: () => Promise<void>): void {
  const { contributor_id: id, github_username: login, trust_tier: before } = one;
  const demotes = isDemotion(before, tier);
  const put = (value: Tier) => call(contributors.setTrust, { params: { id }, body: { tier: value } });
  openConfirm({
    title: `${demotes ? "Demote" : "Promote"} ${login} to ${tier}?`,
    consequences: (
      <ul className="consequences">
        <li>It holds at once, for the task they are at too: its credential is replaced.</li>
        <li>A task of theirs may: {permissionsOf(tier).join(", ")}.</li>
        {demotes ? (
          <li>Pull requests made so far no longer promote them: counting begins anew, which cannot be undone.</li>
        ) : undefined}
      </ul>
    ),
    yes: demotes ? "Demote" : "Promote",
    dangerous: demotes,
    act: async () => {
      await put(tier);
      await after();
      showToast(`${login} is ${tier} now.`, demotes ? undefined : () => put(before));
    },
  });
}
