import { Switch } from "@mantine/core";
import { SaveBar, type SaveBarProps } from "../src/shared/drafts/save-bar.tsx";
import { ValueDiff } from "../src/shared/drafts/value-diff.tsx";
import { useOptimistic } from "../src/shared/forms/use-optimistic.ts";
import { showError } from "../src/shared/toast/toast.tsx";
import type { ShownPart } from "./specimen.tsx";
import { aProblem } from "./state-parts.tsx";

const bar: SaveBarProps = {
  changes: 3,
  faults: 0,
  conflicts: [],
  taken: [],
  dropped: [],
  isOutdated: false,
  seen: () => {},
  discard: () => {},
  review: () => {},
};

function FailingSwitch() {
  const lever = useOptimistic(false, async () => {
    await new Promise((done) => setTimeout(done, 1500));
    throw aProblem;
  });
  return (
    <Switch
      label="Fails after a moment"
      checked={lever.value}
      data-pending={lever.isPending || undefined}
      onChange={(event) => void lever.choose(event.currentTarget.checked).catch(showError)}
    />
  );
}

export const draftParts: readonly ShownPart[] = [
  {
    name: "Save bar",
    states: {
      usual: <SaveBar {...bar} />,
      "a fault": <SaveBar {...bar} faults={1} firstFault="(Labels: line 2: missing bracket)" />,
      "a conflict": (
        <SaveBar
          {...bar}
          conflicts={[{ key: "labels", name: "Labels", mine: ["mine"], theirs: ["theirs"], settle: () => {} }]}
          taken={["Announcement"]}
        />
      ),
      "only others changed something": <SaveBar {...bar} changes={0} taken={["Announcement", "Labels"]} />,
      "a refused save, and a change that was dropped": (
        <SaveBar {...bar} isOutdated dropped={[{ name: "agents.builder.model", value: "opus" }]} />
      ),
    },
  },
  {
    name: "Differences",
    states: {
      lists: <ValueDiff before={["a", "b"]} after={["b", "c"]} />,
      unchanged: <ValueDiff before={1} after={1} />,
      long: <ValueDiff before={"old ".repeat(100)} after={"new ".repeat(100)} />,
    },
  },
  { name: "Switch that moves at once", states: { "fails after a moment": <FailingSwitch /> } },
];
