import "./contributors.css";
import { Select, TextInput, UnstyledButton } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { contributors, tiers } from "@nest/protocol";
import { IconArrowDown, IconArrowUp, IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { useServerNow } from "../../shared/call/server-time.ts";
import { count, duration } from "../../shared/format/format.ts";
import { usePages } from "../../shared/lists/use-pages.ts";
import { VirtualList } from "../../shared/lists/virtual-list.tsx";
import { Link } from "../../shared/router/link.tsx";
import { showInAddress, useAddress } from "../../shared/router/router.ts";
import { Empty, LoadFailed, Loading } from "../../shared/states/states.tsx";
import { Tier } from "./tier-badge.tsx";

const ROWS = 100;
const ROW_PX = 58;
const TYPING_MS = 250;

const columns: readonly (readonly [sort: contributors.ContributorSort, name: string, first: "up" | "down"])[] = [
  ["login", "Contributor", "up"],
  ["tier", "Tier", "down"],
  ["verified", "Verified", "down"],
  ["completed", "Completed", "down"],
  ["failed", "Failed", "down"],
  ["last_active", "Last at work", "down"],
];

interface Choice {
  readonly q: string;
  readonly tier: contributors.ContributorRow["trust_tier"] | undefined;
  readonly sort: contributors.ContributorSort;
  readonly direction: "up" | "down";
}

/** Everybody who ever registered: searched and sorted by the hub, a page at a time. */
export function Contributors() {
  const { query } = useAddress();
  const [typed, setTyped] = useState(query.get("q") ?? "");
  const [q] = useDebouncedValue(typed.trim(), TYPING_MS);
  const tier = tiers.find((one) => one === query.get("tier"));
  const sort = contributors.contributorSorts.find((one) => one === query.get("sort")) ?? "last_active";
  const direction = query.get("direction") === "up" ? "up" : "down";
  const choice: Choice = { q, tier, sort, direction };
  return (
    <>
      <div className="page-head">
        <h1>Contributors</h1>
      </div>
      <section className="panel tall" aria-label="Contributors">
        <div className="panel-bar">
          <TextInput
            type="search"
            className="grow"
            placeholder="Part of a login"
            aria-label="Search contributors"
            leftSection={<IconSearch size={16} />}
            maxLength={100}
            value={typed}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              showInAddress({ q: event.currentTarget.value });
            }}
          />
          <Select
            aria-label="Tier"
            placeholder="Every tier"
            clearable
            data={[...tiers]}
            value={tier ?? null}
            onChange={(value) => showInAddress({ tier: value ?? undefined })}
          />
        </div>
        <Rows choice={choice} />
      </section>
    </>
  );
}

function Rows({ choice }: { readonly choice: Choice }) {
  const { pages, problem, again, more } = usePages(["contributors", choice], (cursor, signal) =>
    call(contributors.contributors, { query: { limit: ROWS, cursor, ...choice }, signal }),
  );
  if (problem !== undefined) return <LoadFailed problem={problem} again={again} />;
  const rows = pages?.flatMap((page) => page.contributors) ?? [];
  return (
    <>
      <Columns choice={choice} />
      {pages === undefined ? (
        <Loading rows={8} />
      ) : rows.length === 0 ? (
        <Empty>Nobody is like that.</Empty>
      ) : (
        <VirtualList
          label={`${count(pages[0]?.matching ?? 0)} contributors`}
          rows={rows}
          rowHeight={ROW_PX}
          keyOf={(row) => row.contributor_id}
          onEnd={more}
          show={(row) => <Row row={row} />}
        />
      )}
      <p className="soft small count-line">{pages === undefined ? "" : `${count(pages[0]?.matching ?? 0)} in all`}</p>
    </>
  );
}

function Columns({ choice }: { readonly choice: Choice }) {
  return (
    <fieldset className="people-head people-grid" aria-label="Sort by">
      {columns.map(([sort, name, first]) => {
        const isChosen = choice.sort === sort;
        const next = isChosen ? (choice.direction === "up" ? "down" : "up") : first;
        const Arrow = choice.direction === "up" ? IconArrowUp : IconArrowDown;
        return (
          <UnstyledButton
            key={sort}
            className={`column column-${sort}`}
            aria-pressed={isChosen}
            aria-label={`Sort by ${name.toLowerCase()}${isChosen ? `, now ${choice.direction}` : ""}`}
            onClick={() => showInAddress({ sort, direction: next })}
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
        <Link href={`/contributors/${encodeURIComponent(login)}`}>
          <bdi>{login}</bdi>
        </Link>
        {active ? <span className="dot" role="img" aria-label="connected now" /> : undefined}
        {row.current_task === undefined ? undefined : <span className="soft"> at work</span>}
      </p>
      <p className="column-tier">
        <Tier name={tier} />
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
