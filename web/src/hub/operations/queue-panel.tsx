import { Button, Modal, NumberInput, SegmentedControl, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { queue } from "@nest/protocol";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { call } from "../../shared/call/call.ts";
import { count } from "../../shared/format/format.ts";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { Panel } from "../../shared/layout/panel.tsx";
import { useIsAdmin } from "../../shared/session/session.ts";
import { attempt } from "../../shared/toast/toast.tsx";
import { useLive } from "../live/live.ts";
import { clearOrder, holdIssue, moveIssue, unmoveIssue } from "./queue-actions.ts";
import { QueueList } from "./queue-list.tsx";
import { LAST_PLACE } from "./queue-order.ts";
import { WithheldList } from "./withheld-list.tsx";

type Part = "offer" | "withheld";

const SEARCH_MS = 250;

/** The queue: what is on offer, in its order, and what is withheld, with the reasons. */
export function QueuePanel() {
  const status = useLive((live) => live.status);
  const [part, setPart] = useState<Part>("offer");
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed.trim(), SEARCH_MS);
  const [holding, setHolding] = useState<string>();
  const [moving, setMoving] = useState<string>();
  const withheld = Object.values(status?.withheld ?? {}).reduce((sum, one) => sum + one, 0);
  const acts = useMemo(
    () => ({
      hold: setHolding,
      moveTo: setMoving,
      top: (key: string) => attempt(() => moveIssue(key, 0)),
      unmove: (key: string) => attempt(() => unmoveIssue(key)),
    }),
    [],
  );
  return (
    <Panel id="queue" title="Queue" tools={<OrderTools />}>
      <div className="panel-bar">
        <SegmentedControl
          aria-label="Which issues"
          value={part}
          onChange={(value) => setPart(value === "withheld" ? "withheld" : "offer")}
          data={[
            { value: "offer", label: `On offer ${count(status?.actionable_items ?? 0)}` },
            { value: "withheld", label: `Withheld ${count(withheld)}` },
          ]}
        />
        <TextInput
          type="search"
          className="grow"
          placeholder="Search name or title"
          aria-label="Search the queue"
          leftSection={<IconSearch size={16} />}
          maxLength={200}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
      {part === "offer" ? <QueueList search={search} acts={acts} /> : <WithheldList search={search} />}
      <HoldDialog issue={holding} close={() => setHolding(undefined)} />
      <MoveDialog issue={moving} close={() => setMoving(undefined)} />
    </Panel>
  );
}

/** Says how many issues stand in front by an operator's word, and lets them all go. */
function OrderTools() {
  const isAdmin = useIsAdmin();
  const { data } = useQuery({
    queryKey: ["queue", "order"],
    queryFn: async ({ signal }) => (await call(queue.order, { signal })).value.order.length,
    enabled: isAdmin,
  });
  if (data === undefined || data === 0) return undefined;
  const clear = () =>
    openConfirm({
      title: "Give up the order?",
      consequences: `${count(data)} issues stand in front because an operator put them there. Each will wait for its turn again.`,
      yes: "Give it up",
      act: () => attempt(clearOrder),
    });
  return (
    <Button size="compact-sm" variant="subtle" onClick={clear}>
      {count(data)} in front: clear
    </Button>
  );
}

interface DialogProps {
  readonly issue: string | undefined;
  readonly close: () => void;
}

function HoldDialog({ issue, close }: DialogProps) {
  const [reason, setReason] = useState("");
  const hold = (key: string) =>
    attempt(
      () => holdIssue(key, reason.trim()),
      undefined,
      () => {
        setReason("");
        close();
      },
    );
  return (
    <Modal opened={issue !== undefined} onClose={close} title={`Hold ${issue ?? ""} back`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (issue !== undefined) hold(issue);
        }}
      >
        <TextInput
          data-autofocus
          label="Why"
          description="Shown beside the issue. It is not handed out until somebody lets it go; who works on it goes on."
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <div className="dialog-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit">Hold back</Button>
        </div>
      </form>
    </Modal>
  );
}

function MoveDialog({ issue, close }: DialogProps) {
  const [place, setPlace] = useState<number | string>(1);
  return (
    <Modal opened={issue !== undefined} onClose={close} title={`Move ${issue ?? ""}`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const to = Number(place);
          if (issue === undefined || !Number.isInteger(to) || to < 1) return;
          attempt(() => moveIssue(issue, Math.min(to, LAST_PLACE) - 1), undefined, close);
        }}
      >
        <NumberInput
          data-autofocus
          label="To number"
          description="What stands before it is put in front as well, so that it is that number."
          min={1}
          max={LAST_PLACE}
          allowDecimal={false}
          value={place}
          onChange={setPlace}
        />
        <div className="dialog-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit">Move</Button>
        </div>
      </form>
    </Modal>
  );
}
