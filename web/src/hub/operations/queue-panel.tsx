import { Button, SegmentedControl } from "@mantine/core";
import { queue } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useMemo } from "react";
import { call } from "../../shared/call/call.ts";
import { count, plural } from "../../shared/format/format.ts";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { ListPanel } from "../../shared/lists/list-panel.tsx";
import { useSearchState } from "../../shared/router/search.ts";
import { useIsAdmin } from "../../shared/session/session.ts";
import { Loading } from "../../shared/states/states.tsx";
import { attempt } from "../../shared/toast/toast.tsx";
import { askToHold } from "../issues/ask-to-hold.ts";
import { useLive } from "../live/live.ts";
import { withheldTotal } from "../live/withheld.ts";
import { askToMove } from "./ask-to-move.ts";
import { OperationsSearch } from "./operations-search.ts";
import { clearOrder, pinIssue, unpinIssue } from "./queue-actions.ts";
import { QueueList } from "./queue-list.tsx";

const WithheldList = lazy(async () => ({ default: (await import("./withheld-list.tsx")).WithheldList }));

/** The queue: issues on offer in their order, or withheld issues by reason. */
export function QueuePanel() {
  const status = useLive((live) => live.status);
  const [{ queue: part, reason, q = "" }, show] = useSearchState(OperationsSearch);
  const withheld = withheldTotal(status?.withheld ?? {});
  const acts = useMemo(
    () => ({
      hold: askToHold,
      moveTo: askToMove,
      pin: (key: string) => attempt(() => pinIssue(key)),
      unpin: (key: string) => attempt(() => unpinIssue(key)),
    }),
    [],
  );
  return (
    <ListPanel
      id="queue"
      title="Queue"
      tools={
        <>
          <PinnedIssues />
          <Link to="/issues" className="small">
            Find and act on many
          </Link>
        </>
      }
      filters={
        <SegmentedControl
          aria-label="Which issues"
          value={part ?? "offer"}
          onChange={(value) => show({ queue: value === "withheld" ? "withheld" : undefined })}
          data={[
            { value: "offer", label: `On offer ${count(status?.actionable_items ?? 0)}` },
            { value: "withheld", label: `Withheld ${count(withheld)}` },
          ]}
        />
      }
      search={{
        label: "Search the queue",
        placeholder: "Search name or title",
        maxLength: 200,
        value: q,
        change: (text) => show({ q: text }),
      }}
    >
      {part === "withheld" ? (
        <Suspense fallback={<Loading rows={8} />}>
          <WithheldList search={q} chosen={reason} choose={(name) => show({ reason: name })} />
        </Suspense>
      ) : (
        <QueueList search={q} acts={acts} />
      )}
    </ListPanel>
  );
}

/** How many of the issues that are pinned to the front of the queue still wait, and a button to unpin all. */
function PinnedIssues() {
  const isAdmin = useIsAdmin();
  const pinned = useLive(({ status }) => status?.pinned);
  const { data } = useQuery({
    queryKey: ["queue", "order"],
    queryFn: async ({ signal }) => (await call(queue.order, { maxAgeSeconds: 1, signal })).value,
    // Mostly nothing is pinned, and the status says so.
    enabled: isAdmin && pinned !== 0,
  });
  if (data === undefined || data.order.length === 0 || pinned === 0) return undefined;
  const { order, waiting } = data;
  const many = order.length;
  const others = many - waiting;
  const clear = () =>
    openConfirm({
      title: `Unpin ${plural(many, "issue")}?`,
      consequences: `They are handed out first because an operator pinned them. Each will wait for its turn again.${others === 0 ? "" : ` ${plural(others, "issue")} of them ${others === 1 ? "is" : "are"} under way or closed.`}`,
      yes: "Unpin all",
      act: () => clearOrder(order),
    });
  return (
    <Button size="compact-sm" variant="subtle" onClick={clear}>
      {plural(waiting, "pinned issue")}: unpin…
    </Button>
  );
}
