import { Switch } from "@mantine/core";
import { nests } from "@nest/protocol";
import { call } from "../../shared/call/call.ts";
import { useOptimistic } from "../../shared/forms/use-optimistic.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { showError } from "../../shared/toast/toast.tsx";
import { actOnNest } from "./act-on-nest.ts";

/** What an owner switches: each moves when it is clicked, and moves back if the hub refuses. */
export function Switches({ nest: { id, auto_upgrade, is_public } }: { readonly nest: nests.NestDetail }) {
  return (
    <Panel id="switches" title="Switches">
      <div className="pad stack">
        <NestSwitch
          label="Upgrade by itself"
          description="Follows its channel: a new version is brought without anybody asking."
          actual={auto_upgrade}
          put={(on) =>
            actOnNest(
              id,
              () => call(nests.setAutoUpgrade, { params: { id }, body: { auto_upgrade: on } }),
              on ? "It upgrades by itself from now on." : "It is upgraded only when somebody asks.",
            )
          }
        />
        <NestSwitch
          label="Everybody sees that it exists"
          description="Listed in the public registry. Who may come in does not change."
          actual={is_public}
          put={(on) =>
            actOnNest(
              id,
              () => call(nests.setVisibility, { params: { id }, body: { is_public: on } }),
              on ? "Everybody sees that it exists." : "Only people with a role see it now.",
            )
          }
        />
      </div>
    </Panel>
  );
}

interface NestSwitchProps {
  readonly label: string;
  readonly description: string;
  readonly actual: boolean;
  readonly put: (on: boolean) => Promise<void>;
}

function NestSwitch({ label, description, actual, put }: NestSwitchProps) {
  const { value, isPending, choose } = useOptimistic(actual, put);
  return (
    <Switch
      label={label}
      description={description}
      checked={value}
      aria-busy={isPending}
      onChange={(event) => void choose(event.currentTarget.checked).catch(showError)}
    />
  );
}
