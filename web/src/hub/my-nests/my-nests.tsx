import "./my-nests.css";
import { Button, Chip, Select } from "@mantine/core";
import { nests } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../../shared/call/call.ts";
import { count, plural } from "../../shared/format/format.ts";
import { ListPage } from "../../shared/lists/list-page.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { useSearchState } from "../../shared/router/search.ts";
import { useIsAdmin } from "../../shared/session/session.ts";
import { MissingPartsHere } from "../clusters/missing-parts.tsx";
import { MyNestsSearch } from "./my-nests-search.ts";
import { NestLine } from "./nest-line.tsx";
import { statusCounts, statusWords } from "./nest-words.ts";

type Page = Awaited<ReturnType<typeof readPage>>["value"];
type Show = (change: Partial<MyNestsSearch>) => void;

const ROWS = 50;
const ROW_PX = 76;
/** While something is under way, each page that was read is read again after this time. */
const UNDER_WAY_MS = 5000;

const sorts = [
  { value: "name", label: "By name" },
  { value: "created", label: "Newest first" },
  { value: "status", label: "By status" },
  { value: "heartbeat", label: "Last heard first" },
] as const;

/** The nests of whoever is signed in, and all of them for an admin: searched and sorted by the hub, a page at a time. */
export function MyNests() {
  const [search, show] = useSearchState(MyNestsSearch);
  const { q = "", status, cluster, only, sort = "name" } = search;
  const choice = { q, status, cluster, only, sort };
  const list = usePages(["my-nests", choice], (cursor, signal) => readPage(choice, cursor, signal), againAfterMs);
  const first = list.pages?.[0];
  const isAdmin = useIsAdmin();
  const isNarrowed = q !== "" || status !== undefined || cluster !== undefined || only !== undefined;
  return (
    <ListPage
      id="my-nests"
      title={isAdmin ? "All nests" : "My nests"}
      tools={<Tools page={first} />}
      search={{
        label: "Search nests",
        placeholder: "Name, repository, owner or id",
        value: q,
        change: (text) => show({ q: text }),
      }}
      filters={<Filters cluster={cluster} sort={sort} show={show} />}
      above={
        <>
          <MissingPartsHere />
          <Counts page={first} status={status} only={only} show={show} />
        </>
      }
      list={list}
      rowsOf={(page) => page.nests}
      empty={
        isNarrowed ? (
          <>
            No nest is like that.{" "}
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => show({ q: undefined, status: undefined, cluster: undefined, only: undefined })}
            >
              Show all
            </Button>
          </>
        ) : (
          "You have no nest yet, and nobody has given you a role on theirs. Create one: it takes about a minute."
        )
      }
      label="Nests"
      rowHeight={ROW_PX}
      keyOf={({ id }) => id}
      show={(nest) => <NestLine nest={nest} isAdmin={isAdmin} />}
      below={
        <p className="soft small count-line">
          {first === undefined || first.matched === 0
            ? ""
            : isNarrowed
              ? `${count(first.matched)} of ${plural(first.total, "nest")}`
              : plural(first.total, "nest")}
        </p>
      }
    />
  );
}

type Choice = Omit<MyNestsSearch, "sort"> & { readonly sort: NonNullable<MyNestsSearch["sort"]> };

function readPage(choice: Choice, cursor: string, signal: AbortSignal) {
  return call(nests.mine, { query: { limit: ROWS, cursor, ...choice }, signal });
}

function againAfterMs(pages: readonly Page[]): number | undefined {
  const isUnderWay = pages.some((page) => page.nests.some(({ operation }) => operation !== undefined));
  return isUnderWay ? UNDER_WAY_MS * pages.length : undefined;
}

function Tools({ page }: { readonly page: Page | undefined }) {
  const { saas_quota: quota, saas_used: used = 0 } = page ?? {};
  return (
    <div className="controls">
      {page === undefined || (quota === undefined && used === 0) ? undefined : (
        <span className="soft small" data-tone={quota !== undefined && used >= quota ? "warn" : undefined}>
          {quota === undefined ? `${plural(used, "nest")} of your own` : `${used} of ${plural(quota, "nest")} used`}
        </span>
      )}
      <Button component={Link} to="/my-nests/new">
        Create a nest
      </Button>
    </div>
  );
}

interface FiltersProps {
  readonly cluster: string | undefined;
  readonly sort: string;
  readonly show: Show;
}

function Filters({ cluster, sort, show }: FiltersProps) {
  const { data = [] } = useQuery({
    queryKey: ["clusters"],
    queryFn: async ({ signal }) => (await call(nests.clusters, { signal })).value.clusters,
  });
  const known = data.map(({ id, name = id }) => ({ value: id, label: name }));
  // One that is gone may still be in the address.
  const all = cluster === undefined || known.some(({ value }) => value === cluster) ? known : [...known, cluster];
  return (
    <>
      {all.length < 2 && cluster === undefined ? undefined : (
        <Select
          className="nest-filter"
          aria-label="Cluster"
          placeholder="Every cluster"
          clearable
          data={all}
          value={cluster ?? null}
          onChange={(value) => show({ cluster: value ?? undefined })}
        />
      )}
      <Select
        className="nest-filter"
        aria-label="Order"
        allowDeselect={false}
        data={sorts}
        value={sort}
        onChange={(value) => show({ sort: sorts.find((one) => one.value === value)?.value })}
      />
    </>
  );
}

interface CountsProps extends Pick<MyNestsSearch, "status" | "only"> {
  readonly page: Page | undefined;
  readonly show: Show;
}

/** How many nests stand where; each is a filter. */
function Counts({ page, status, only, show }: CountsProps) {
  if (page === undefined || page.total === 0) return undefined;
  const { by_status: byStatus } = page;
  const shown = status === undefined || status in byStatus ? byStatus : { ...byStatus, [status]: 0 };
  return (
    <fieldset className="reasons" aria-label="Statuses">
      {statusCounts(shown).map(([name, total]) => (
        <Chip
          key={name}
          size="xs"
          variant="outline"
          checked={status === name}
          // A record without a status has no name that an address could hold.
          disabled={name === ""}
          onChange={(on) => show({ status: on ? name : undefined })}
        >
          {statusWords(name)} {count(total)}
        </Chip>
      ))}
      {page.is_admin ? (
        <>
          <Chip
            size="xs"
            variant="outline"
            checked={only === "offline"}
            onChange={(on) => show({ only: on ? "offline" : undefined })}
          >
            not heard of
          </Chip>
          <Chip
            size="xs"
            variant="outline"
            checked={only === "differs"}
            onChange={(on) => show({ only: on ? "differs" : undefined })}
          >
            not as wanted
          </Chip>
        </>
      ) : undefined}
    </fieldset>
  );
}
