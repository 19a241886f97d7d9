import { Button, Chip } from "@mantine/core";
import { contribute, describeWithheld } from "@nest/protocol";
import { call } from "../../shared/call/call.ts";
import { count } from "../../shared/format/format.ts";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { PagedList } from "../../shared/lists/paged-list.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { useIsAdmin } from "../../shared/session/session.ts";
import { Empty } from "../../shared/states/states.tsx";
import { attempt } from "../../shared/toast/toast.tsx";
import { LinkedText } from "../issues/linked-text.tsx";
import { useLive } from "../live/live.ts";
import { withheldReasons } from "../live/withheld.ts";
import { IssueLine } from "./issue-line.tsx";
import { askToLift, liftAll, liftableReason, unholdIssue } from "./queue-actions.ts";

const ROWS = 100;
const ROW_PX = 88;

export interface WithheldListProps {
  readonly search: string;
  /** The reason whose issues are shown; undefined: the most frequent one. */
  readonly chosen: string | undefined;
  readonly choose: (reason: string) => void;
}

/** Withheld issues: every reason with its total, and the issues of one reason. */
export function WithheldList({ search, chosen, choose }: WithheldListProps) {
  const totals = useLive((live) => live.status?.withheld) ?? {};
  const reasons = withheldReasons(totals);
  const reason = chosen !== undefined && totals[chosen] !== undefined ? chosen : reasons[0]?.[0];
  if (reason === undefined) return <Empty>Nothing is withheld: every open issue is on offer or under way.</Empty>;
  return (
    <>
      <Chip.Group value={reason} onChange={(value) => choose(String(value))}>
        <div className="reasons" role="radiogroup" aria-label="Reasons">
          {reasons.map(([name, total]) => (
            <Chip key={name} value={name} size="xs" variant="outline">
              {describeWithheld(name).label} {count(total)}
            </Chip>
          ))}
        </div>
      </Chip.Group>
      <p className="why">{describeWithheld(reason).because}</p>
      <LiftAll reason={reason} total={totals[reason] ?? 0} />
      <Issues reason={reason} search={search} />
    </>
  );
}

/** For admins: offers all issues of one reason again. */
function LiftAll({ reason, total }: { readonly reason: string; readonly total: number }) {
  const isAdmin = useIsAdmin();
  const liftable = liftableReason(reason);
  if (!isAdmin || liftable === undefined) return undefined;
  const askFirst = () =>
    openConfirm({
      title: `Offer all ${count(total)} again?`,
      consequences: (
        <p>
          They are handed out at once, in their turn. What is counted against them is forgotten, which cannot be undone.
        </p>
      ),
      yes: "Offer them again",
      act: () => liftAll(liftable),
    });
  return (
    <Button size="compact-sm" variant="default" onClick={askFirst}>
      Offer all {count(total)} again…
    </Button>
  );
}

/** For admins: offers one issue again. */
function Lift({ item }: { readonly item: contribute.QueueItem }) {
  const reason = liftableReason(item.withheld?.reason);
  if (reason === undefined) return undefined;
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`Offer again: ${item.key}`}
      onClick={() => askToLift(item.key, reason)}
    >
      Offer again
    </Button>
  );
}

function Issues({ reason, search }: { readonly reason: string; readonly search: string }) {
  const isAdmin = useIsAdmin();
  const list = usePages(["queue", "withheld", reason, search], (cursor, signal) =>
    call(contribute.queue, { query: { limit: ROWS, cursor, reason, q: search }, signal }),
  );
  const hidden = list.pages?.[0]?.hidden ?? 0;
  return (
    <PagedList
      list={list}
      rowsOf={(page) => page.queue}
      empty={
        hidden > 0
          ? "These belong to private repositories; admins see them."
          : "No such issue is withheld for this reason."
      }
      label={`Issues withheld: ${describeWithheld(reason).label}`}
      rowHeight={ROW_PX}
      keyOf={({ key }) => key}
      show={(item) => (
        <div className="queue-row">
          <div className="issue">
            <IssueLine item={item} />
            <p className="because">
              <LinkedText text={item.withheld?.because ?? ""} />
            </p>
          </div>
          {isAdmin && item.held === true ? (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Let go: ${item.key}`}
              onClick={() => attempt(() => unholdIssue(item))}
            >
              Let go
            </Button>
          ) : undefined}
          {isAdmin && item.held !== true ? <Lift item={item} /> : undefined}
        </div>
      )}
    />
  );
}
