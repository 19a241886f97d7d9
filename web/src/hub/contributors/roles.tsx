import { Checkbox, Select } from "@mantine/core";
import { contributors, delegatableRoles } from "@nest/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { showError, showToast } from "../../shared/toast/toast.tsx";

const asRelay = "what the relay asks for";
const general = "general work only";

interface Pending {
  readonly role?: string;
  readonly grants?: readonly string[];
}

function wordOf(role: string | undefined): string {
  if (role === undefined) return asRelay;
  return role === "none" ? general : role;
}

/** The delegated role of somebody's relays, and the roles opened to them personally. Each choice holds at once. */
export function Roles({ one }: { readonly one: contributors.ContributorRow }) {
  const client = useQueryClient();
  // The chosen value is shown at once, and replaced by the hub's answer.
  const [pending, setPending] = useState<Pending>({});
  const { contributor_id: id, github_username: login, assigned_agent_role: assigned, agent_role_grants: grants } = one;
  if (one.trust_tier === "revoked") return undefined;
  const change = async (chosen: Pending, act: () => Promise<unknown>, undo: () => Promise<unknown>) => {
    setPending(chosen);
    const again = () => client.invalidateQueries({ queryKey: ["contributor"] });
    try {
      await act();
      await again();
      showToast(`The roles of ${login} were changed.`, () => undo().then(again));
    } catch (thrown) {
      showError(thrown);
    } finally {
      setPending({});
    }
  };
  const putRole = (role: contributors.ContributorRow["assigned_agent_role"]) => () =>
    call(contributors.setAgentRole, {
      params: { id },
      body: { agent_role: role === "none" ? "none" : (delegatableRoles.find((name) => name === role) ?? null) },
    });
  const putGrants = (names: readonly string[]) => () =>
    call(contributors.setAgentRoleGrants, {
      params: { id },
      body: { agent_role_grants: delegatableRoles.filter((name) => names.includes(name)) },
    });
  return (
    <Panel id="roles" title="Roles">
      <div className="pad stack">
        <Select
          label="Role of their relays"
          data={[asRelay, general, ...delegatableRoles]}
          value={pending.role ?? wordOf(assigned)}
          allowDeselect={false}
          onChange={(value) => {
            const role = value === asRelay || value === null ? undefined : value === general ? "none" : value;
            void change({ role: wordOf(role) }, putRole(role), putRole(assigned));
          }}
        />
        <Checkbox.Group
          label="Opened to them personally"
          description="Their relay may ask for these, from the tier trusted on."
          value={[...(pending.grants ?? grants)]}
          onChange={(chosen) => void change({ grants: chosen }, putGrants(chosen), putGrants(grants))}
        >
          <div className="checks">
            {delegatableRoles.map((role) => (
              <Checkbox key={role} value={role} label={role} />
            ))}
          </div>
        </Checkbox.Group>
      </div>
    </Panel>
  );
}
