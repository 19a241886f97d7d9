import "./numbers.css";
import { SegmentedControl, Select } from "@mantine/core";
import { numbers } from "@nest/protocol";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../../shared/call/call.ts";
import { shortTime } from "../../shared/format/format.ts";
import { Counter, Counters } from "../../shared/layout/counters.tsx";
import { useSearchState } from "../../shared/router/search.ts";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";
import { Breakdown } from "./breakdown.tsx";
import { NumbersSearch } from "./numbers-search.ts";
import { OverTime } from "./over-time.tsx";
import { successRate } from "./success-rate.ts";

const AGAIN_MS = 60_000;
/** While the hub counts tasks of the past, after an update. */
const COUNTING_MS = 3000;
const windowWords: Readonly<Record<numbers.NumberWindow, string>> = {
  "24h": "24 h",
  "7d": "7 d",
  "30d": "30 d",
  "90d": "90 d",
};

/** Numbers over time: queue, waiting, endings and failures; in all, and of a repository, a contributor or a backend. */
export function Numbers() {
  const [search, show] = useSearchState(NumbersSearch);
  const { window = "24h", repo, contributor, backend } = search;
  const query = { window, repo, contributor, backend };
  const { data, error, refetch } = useQuery({
    queryKey: ["numbers", query],
    queryFn: async ({ signal }) => (await call(numbers.numbers, { query, signal })).value,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.complete === false ? COUNTING_MS : AGAIN_MS),
  });
  return (
    <>
      <div className="page-head">
        <h1>Numbers</h1>
        <SegmentedControl
          aria-label="Time span"
          value={window}
          onChange={(value) => show({ window: numbers.numberWindows.find((one) => one === value) })}
          data={numbers.numberWindows.map((value) => ({ value, label: windowWords[value] }))}
        />
      </div>
      <fieldset className="number-filters" aria-label="Filters">
        <Filter
          label="Repository"
          value={repo}
          names={data?.repositories.map((row) => row.repo)}
          choose={(value) => show({ repo: value })}
        />
        <Filter
          label="Contributor"
          value={contributor}
          names={data?.contributors.map((row) => row.github_username)}
          choose={(value) => show({ contributor: value })}
        />
        <Filter
          label="Backend"
          value={backend}
          names={data?.backends.map((row) => row.backend)}
          choose={(value) => show({ backend: value })}
        />
      </fieldset>
      {error !== null && data === undefined ? (
        <LoadFailed problem={error} again={() => void refetch()} />
      ) : data === undefined ? (
        <Loading rows={8} />
      ) : (
        <Shown found={data} hasFilter={contributor !== undefined || backend !== undefined} />
      )}
    </>
  );
}

interface FilterProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly names: readonly string[] | undefined;
  readonly choose: (value: string | undefined) => void;
}

function Filter({ label, value, names = [], choose }: FilterProps) {
  const every = `Every ${label.toLowerCase()}`;
  return (
    <Select
      aria-label={label}
      placeholder={every}
      searchable
      clearable
      data={[...new Set(value === undefined ? names : [value, ...names])]}
      value={value ?? null}
      onChange={(chosen) => choose(chosen ?? undefined)}
    />
  );
}

function Shown({ found, hasFilter }: { readonly found: numbers.NumbersReply; readonly hasFilter: boolean }) {
  const { total, window, complete } = found;
  const rate = successRate(total);
  const file = `nest-${window}`;
  const filter = (key: "repo" | "contributor" | "backend") => (name: string) => (
    <Link to="/numbers" search={(before: object) => ({ ...before, [key]: name }) as never}>
      <bdi>{name}</bdi>
    </Link>
  );
  return (
    <>
      {complete ? undefined : <p className="notice counting">Tasks of the past are still being counted.</p>}
      <Counters>
        <Counter name="Assigned" value={total.assigned} />
        <Counter name="Completed" value={total.completed} />
        <Counter name="Success rate" value={rate === undefined ? undefined : `${Math.round(rate)} %`} />
        <Counter name="Verified pull requests" value={total.verified} />
        <Counter name="Failed" value={total.failed} />
        <Counter name="Wait, median" value={total.wait && shortTime(total.wait.median_ms)} />
        <Counter name="Wait, 95th percentile" value={total.wait && shortTime(total.wait.slow_ms)} />
      </Counters>
      <div className="numbers-grid">
        <OverTime found={found} file={file} hasFilter={hasFilter} />
        <div className="numbers-wide stack">
          <Breakdown
            id="repositories"
            title="By repository"
            what="Repository"
            rows={found.repositories.map((row) => ({ ...row, name: row.repo }))}
            show={filter("repo")}
            file={file}
          />
          <Breakdown
            id="contributors"
            title="By contributor"
            what="Contributor"
            rows={found.contributors.map((row) => ({ ...row, name: row.github_username }))}
            show={filter("contributor")}
            file={file}
          />
          <Breakdown
            id="backends"
            title="By backend"
            what="Backend"
            rows={found.backends.map((row) => ({ ...row, name: row.backend }))}
            show={filter("backend")}
            file={file}
          />
          <p className="soft small">
            Tokens and cost are not reported by relays. The same series are at <a href="/metrics">/metrics</a>.
          </p>
        </div>
      </div>
    </>
  );
}
