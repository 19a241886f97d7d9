import "./contributors.css";
import { Select, UnstyledButton } from "@mantine/core";
import { contributors, tiers } from "@nest/protocol";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { call } from "../../shared/call/call.ts";
import { useServerNow } from "../../shared/call/server-time.ts";
import { count, duration } from "../../shared/format/format.ts";
import { ListPage } from "../../shared/lists/list-page.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { useSearchState } from "../../shared/router/search.ts";
import { ContributorsSearch } from "./contributors-search.ts";
import { PausedBadge } from "./paused-badge.tsx";
import { TierBadge } from "./tier-badge.tsx";

const ROWS = 100;
const ROW_PX = 58;

const columns: readonly (readonly [sort: contributors.ContributorSort, name: string, first: "up" | "down"])[] = [
  ["login", "Contributor", "up"],
  ["tier", "Tier", "down"],
  ["verified", "Verified", "down"],
  ["completed", "Finished", "down"],
  ["failed", "Failed", "down"],
  ["last_active", "Last at work", "down"],
];

/** Everybody who ever registered: searched and sorted by the hub, a page at a time. */
export function Contributors() {
  const [search, show] = useSearchState(ContributorsSearch);
  const { q = "", tier, sort = "last_active", direction = "down" } = search;
  const choice = { q, tier, sort, direction };
  const list = usePages(["contributors", choice], (cursor, signal) =>
    call(contributors.contributors, { query: { limit: ROWS, cursor, ...choice }, signal }),
  );
  const matching = list.pages?.[0]?.matching;
  return (
    <ListPage
      id="contributors"
      title="Contributors"
      search={{
        label: "Search contributors",
        placeholder: "Part of a login",
        value: q,
        change: (text) => show({ q: text }),
      }}
      filters={
        <Select
          aria-label="Tier"
          placeholder="Every tier"
          clearable
          data={[...tiers]}
          value={tier ?? null}
          onChange={(value) => show({ tier: tiers.find((one) => one === value) })}
        />
      }
      above={<Columns sort={sort} direction={direction} choose={show} />}
      list={list}
      rowsOf={(page) => page.contributors}
      empty="Nobody is like that."
      label={`${count(matching ?? 0)} contributors`}
      rowHeight={ROW_PX}
      keyOf={(row) => row.contributor_id}
      show={(row) => <Row row={row} />}
      below={<p className="soft small count-line">{matching === undefined ? "" : `${count(matching)} in all`}</p>}
    />
  );
}

interface Order {
  readonly sort: contributors.ContributorSort;
  readonly direction: "up" | "down";
}

function Columns({ sort: chosen, direction, choose }: Order & { readonly choose: (order: Order) => void }) {
  return (
    <fieldset className="people-head people-grid" aria-label="Sort by">
      {columns.map(([sort, name, first]) => {
        const isChosen = chosen === sort;
        const next = isChosen ? (direction === "up" ? "down" : "up") : first;
        const Arrow = direction === "up" ? IconArrowUp : IconArrowDown;
        return (
          <UnstyledButton
            key={sort}
            className={`column column-${sort}`}
            aria-pressed={isChosen}
            aria-label={`Sort by ${name.toLowerCase()}${isChosen ? `, now ${direction}` : ""}`}
            onClick={() => choose({ sort, direction: next })}
          >
            {name}
            {isChosen ? <Arrow size={14} aria-hidden="true" /> : undefined}
          </UnstyledButton>
        );
      })}
    </fieldset>
  );
}

function Row({ row }: { readonly row: contributors.ContributorRow }) {
  const now = useServerNow();
  const { github_username: login, trust_tier: tier, active, last_active: last } = row;
  return (
    <div className="people-grid people-row" data-tier={tier}>
      <p className="cut column-login">
        <Link to="/contributors/$id" params={{ id: login } as never}>
          <bdi>{login}</bdi>
        </Link>
        {active ? <span className="dot" role="img" aria-label="connected now" /> : undefined}
        {row.current_task === undefined ? undefined : (
          <>
            {" "}
            <Link className="soft" to="/tasks/$id" params={{ id: row.current_task } as never}>
              at work
            </Link>
          </>
        )}{" "}
        <PausedBadge one={row} />
      </p>
      <p className="column-tier">
        <TierBadge name={tier} />
      </p>
      <p className="number column-verified">{count(row.total_tasks_completed_with_pr)}</p>
      <p className="number column-completed">{count(row.total_tasks_completed)}</p>
      <p className="number column-failed">{count(row.total_tasks_failed)}</p>
      <p className="column-last_active">
        {last === undefined ? "never" : `${duration(now - Date.parse(last))} ago`}
        <span className="soft small"> · {count(row.assigned_day)} in 24 h</span>
      </p>
    </div>
  );
}
