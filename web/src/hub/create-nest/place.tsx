import { Switch, TextInput } from "@mantine/core";
import type { nests } from "@nest/protocol";
import { plural } from "../../shared/format/format.ts";
import { Choices } from "./choices.tsx";
import type { DraftFaults, NestDraft } from "./nest-draft.ts";

export interface PlaceProps {
  readonly draft: NestDraft;
  readonly faults: DraftFaults;
  readonly clusters: readonly nests.Cluster[];
  readonly isClaim: boolean;
  readonly change: (part: Partial<NestDraft>) => void;
}

/** Where the nest lives, who sees it, what it is called; of a placeholder whom it is given to. */
export function Place({ draft, faults, clusters, isClaim, change }: PlaceProps) {
  const { primary, repos } = draft;
  return (
    <div className="stack">
      {isClaim ? (
        <TextInput
          label="Owner"
          description="The login at the code host of whom it is given to"
          autoComplete="off"
          maxLength={100}
          error={faults.owner}
          value={draft.owner}
          onChange={(event) => change({ owner: event.currentTarget.value })}
        />
      ) : (
        <Choices
          legend="Where shall it live?"
          name="cluster"
          choices={clusters.map((one) => ({
            value: one.id,
            name: one.name ?? one.id,
            means: clusterMeans(one),
            closed: closedBecause(one),
          }))}
          chosen={draft.cluster}
          error={faults.cluster}
          choose={(cluster) => change({ cluster })}
        />
      )}
      <TextInput
        label="Name"
        description="What people read. You can change it later."
        placeholder={primary === "" ? (repos[0] ?? "") : primary}
        autoComplete="off"
        maxLength={100}
        error={faults.name}
        value={draft.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <Switch
        label="Everybody sees that it exists"
        description="Listed in the public registry. Only people with a role may come in, either way."
        checked={draft.isPublic}
        onChange={(event) => change({ isPublic: event.currentTarget.checked })}
      />
    </div>
  );
}

export function isFull({ nests: there, max_nests: most }: nests.Cluster): boolean {
  return most !== undefined && there >= most;
}

function closedBecause(one: nests.Cluster): string | undefined {
  if (one.reachable === "incomplete") return "It cannot run nests yet: above is what is missing";
  return isFull(one) ? "It is full: an admin may allow more nests on it" : undefined;
}

function clusterMeans({ domain, reachable, nests: there, max_nests: most }: nests.Cluster): string {
  const room = most === undefined ? plural(there, "nest") : `${there} of ${plural(most, "nest")}`;
  const address = domain === undefined ? "no domain of its own" : `addresses end in ${domain}`;
  const reach = {
    yes: "",
    unknown: "",
    incomplete: "",
    no: " The hub does not reach it just now: the nest waits until it does.",
    pull_only: " The hub does not work on it: you are given the objects, and apply them by hand.",
  }[reachable];
  return `${room}, ${address}.${reach}`;
}
