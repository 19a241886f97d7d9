import { Chip } from "@mantine/core";
import { describeHeldBack, type HeldBackReason, nestWork } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { capitalised, count } from "../../shared/format/format.ts";
import { ListPanel } from "../../shared/lists/list-panel.tsx";
import { PagedList } from "../../shared/lists/paged-list.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { useSearchState } from "../../shared/router/search.ts";
import { KickOnIssue } from "./kick-on-issue.tsx";
import { QueueSearch } from "./queue-search.ts";
import { ReadNow } from "./read-now.tsx";
import { UnreadNotices } from "./unread-notices.tsx";
import { WorkRow } from "./work-row.tsx";

const ROWS = 100;
const ROW_PX = 66;

/** Every open issue of the monitored repositories: what agents may take, and why the rest is held back. */
export function Queue() {
  const [{ show, q = "" }, change] = useSearchState(QueueSearch);
  const [kicked, setKicked] = useState<nestWork.WorkItem>();
  const list = usePages(["queue", show ?? "", q], (cursor, signal) =>
    call(nestWork.work, {
      query: {
        limit: ROWS,
        ...(cursor === "" ? {} : { cursor }),
        ...(show === undefined ? {} : { show }),
        ...(q === "" ? {} : { search: q }),
      },
      signal,
    }),
  );
  const first = list.pages?.[0];
  return (
    <>
      <div className="page-head">
        <h1>Queue</h1>
        <ReadNow />
      </div>
      {first === undefined ? undefined : <UnreadNotices repos={first.repos} />}
      <ListPanel
        id="queue"
        title="Queue"
        isWholePage
        search={{
          label: "Search the queue",
          placeholder: "Title, repository or number",
          value: q,
          change: (text) => change({ q: text }),
        }}
      >
        {first === undefined ? undefined : (
          <ReasonChips counts={first} show={show} choose={(reason) => change({ show: reason })} />
        )}
        <PagedList
          list={list}
          rowsOf={(page) => page.items}
          empty={emptyWords(show, q)}
          label="Issues"
          rowHeight={ROW_PX}
          keyOf={({ key }) => key}
          show={(item) => <WorkRow item={item} kick={() => setKicked(item)} />}
        />
      </ListPanel>
      {kicked === undefined ? undefined : <KickOnIssue item={kicked} close={() => setKicked(undefined)} />}
    </>
  );
}

type Shown = "actionable" | HeldBackReason | undefined;

interface ReasonChipsProps {
  readonly counts: { readonly actionable: number; readonly held_back: Readonly<Record<string, number>> };
  readonly show: Shown;
  readonly choose: (show: Shown) => void;
}

function ReasonChips({ counts, show, choose }: ReasonChipsProps) {
  const reasons = Object.entries(counts.held_back).sort(([, one], [, other]) => other - one);
  // The chosen one stays, also when no issue has it any more.
  const missing = show !== undefined && show !== "actionable" && !Object.hasOwn(counts.held_back, show);
  const all = [["actionable", counts.actionable] as const, ...reasons, ...(missing ? [[show, 0] as const] : [])];
  return (
    <>
      <fieldset className="reasons" aria-label="What is shown">
        {all.map(([name, number]) => (
          <Chip
            key={name}
            size="xs"
            variant="outline"
            checked={show === name}
            onChange={(on) => choose(on ? (name as Shown) : undefined)}
          >
            {capitalised(name === "actionable" ? name : describeHeldBack(name).label)} {count(number)}
          </Chip>
        ))}
      </fieldset>
      {show === undefined || show === "actionable" ? undefined : (
        <p className="why">Held back because {describeHeldBack(show).because}.</p>
      )}
    </>
  );
}

function emptyWords(show: Shown, q: string): string {
  if (q !== "") return "No issue has this in it.";
  if (show === undefined) return "There are no open issues, or the repositories were not read yet.";
  return show === "actionable"
    ? "There is nothing that agents may take now."
    : "No issue is held back for this reason.";
}
