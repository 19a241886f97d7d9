import { Button } from "@mantine/core";
import type { nestConfig } from "@nest/protocol";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { attempt, showError, showToast } from "../../shared/toast/toast.tsx";
import { useLive } from "../live/live.ts";
import { saveEntry, useProvenance } from "./config.ts";
import type { Removal } from "./removal.ts";
import { useChannels } from "./use-channels.ts";

type View = nestConfig.ConfigView;

/** Most visits remove nothing: the page does not wait for what a removal says. */
const words = () => import("./removal.ts");

export function RemoveAgent({ name, view }: { readonly name: string; readonly view: View }) {
  const now = useLive(({ agents }) => agents?.find((agent) => agent.name === name));
  const rows = useProvenance().data?.rows;
  const layerOf = (key: string) => rows?.find((row) => row.key === key)?.layer;
  return (
    <RemoveButton
      what={name}
      view={view}
      removal={async () => (await words()).agentRemoval(name, view.config, layerOf, now)}
    />
  );
}

export function RemoveMode({ name, view }: { readonly name: string; readonly view: View }) {
  const mode = useLive(({ governor }) => governor?.mode);
  return (
    <RemoveButton
      what={`the mode ${name}`}
      view={view}
      removal={async () => (await words()).modeRemoval(name, view.config, mode)}
    />
  );
}

export function RemoveChannel({ name, view }: { readonly name: string; readonly view: View }) {
  const waiting = useChannels()?.get(name)?.waiting ?? 0;
  return <RemoveButton what={name} view={view} removal={async () => (await words()).channelRemoval(name, waiting)} />;
}

interface RemoveButtonProps {
  readonly what: string;
  readonly view: View;
  readonly removal: () => Promise<Removal>;
}

/** Says what a removal does before it is done. One that was made on an older state of the configuration is refused. */
function RemoveButton({ what, view, removal }: RemoveButtonProps) {
  const ask = async () => {
    const { title, consequences, change } = await removal();
    openConfirm({
      title,
      consequences: (
        <ul className="consequences">
          {consequences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      ),
      yes: "Remove",
      dangerous: true,
      act: async () => {
        await saveEntry(change, view.revision);
        showToast("Removed.");
      },
    });
  };
  return (
    <Button
      className="remove"
      variant="subtle"
      color="red"
      size="compact-md"
      disabled={view.read_only !== undefined}
      aria-label={`Remove ${what}`}
      onClick={() => void ask().catch(showError)}
    >
      Remove
    </Button>
  );
}

export interface RemovedEntriesProps {
  readonly names: readonly string[];
  /** What takes an entry back to what `nest.yaml` says. */
  readonly bringBack: (name: string) => Readonly<Record<string, unknown>>;
  readonly view: View;
}

/** Entries of `nest.yaml` that were removed here, each with the way back. */
export function RemovedEntries({ names, bringBack, view }: RemovedEntriesProps) {
  return names.map((name) => (
    <p key={name} className="line soft small">
      <span>
        <bdi>{name}</bdi> was removed here; nest.yaml still has it.
      </span>
      <Button
        variant="default"
        size="compact-sm"
        disabled={view.read_only !== undefined}
        aria-label={`Bring ${name} back`}
        onClick={() => attempt(() => saveEntry(bringBack(name), view.revision), `${name} is back.`)}
      >
        Bring it back
      </Button>
    </p>
  ));
}
