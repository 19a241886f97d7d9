import "../../shared/filters/filters.css";
import { Button, Select } from "@mantine/core";
import { auditActions, contributors, describeAudit } from "@nest/protocol";
import { AuditRow } from "../../shared/audit/audit-row.tsx";
import { call } from "../../shared/call/call.ts";
import { beginningOf, endOf } from "../../shared/filters/days.ts";
import { FilterField } from "../../shared/filters/filter-field.tsx";
import { ViewsMenu } from "../../shared/filters/views-menu.tsx";
import { ListPage } from "../../shared/lists/list-page.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { useSearchState } from "../../shared/router/search.ts";
import { stringifySearch } from "../../shared/router/search-text.ts";
import { LinkedText } from "../issues/linked-text.tsx";
import { keyNames } from "../queue-settings/key-names.ts";
import { AuditSearch } from "./audit-search.ts";

const ROWS = 100;
const ROW_PX = 92;
const none: AuditSearch = {
  q: undefined,
  actor: undefined,
  action: undefined,
  subject: undefined,
  since: undefined,
  until: undefined,
};

/** Who changed what, newest first, with old and new values: found by person, kind, subject and day, and taken along as a file. */
export function Audit() {
  const [search, show] = useSearchState(AuditSearch);
  const { since, until, ...texts } = search;
  const filter = { ...texts, since: beginningOf(since), until: endOf(until) };
  const isFiltered = Object.values(search).some((value) => value !== undefined && value !== "");
  const list = usePages(["audit", filter], (cursor, signal) =>
    call(contributors.audit, { query: { limit: ROWS, cursor, ...filter }, signal }),
  );
  return (
    <ListPage
      id="audit"
      title="Audit"
      tools={
        <div className="controls">
          <ViewsMenu />
          <ExportButton format="csv" filter={filter} />
          <ExportButton format="json" filter={filter} />
        </div>
      }
      search={{
        label: "Search the audit",
        placeholder: "Any word, also of the values",
        value: search.q ?? "",
        change: (q) => show({ q: q || undefined }),
      }}
      above={<Filters search={search} show={show} isFiltered={isFiltered} />}
      list={list}
      rowsOf={(page) => page.audit}
      empty={isFiltered ? "No change is like that." : "Nothing was changed yet."}
      label="Changes, newest first"
      rowHeight={ROW_PX}
      keyOf={({ id }) => id}
      show={(entry) => <Entry entry={entry} />}
    />
  );
}

interface FiltersProps {
  readonly search: AuditSearch;
  readonly show: (change: Partial<AuditSearch>) => void;
  readonly isFiltered: boolean;
}

function Filters({ search, show, isFiltered }: FiltersProps) {
  return (
    <fieldset className="filter-bar" aria-label="Filters">
      <Select
        size="sm"
        className="filter-field"
        label="What"
        placeholder="Every kind of change"
        searchable
        clearable
        data={auditActions.map(({ action, label }) => ({ value: action, label }))}
        value={search.action ?? null}
        onChange={(action) => show({ action: action ?? undefined })}
      />
      <FilterField label="Who" placeholder="Login, token" value={search.actor} change={(actor) => show({ actor })} />
      <FilterField
        label="Whom or what"
        placeholder="acme/api#12, login"
        value={search.subject}
        change={(subject) => show({ subject })}
      />
      <FilterField label="From" type="date" value={search.since} change={(since) => show({ since })} />
      <FilterField label="To" type="date" value={search.until} change={(until) => show({ until })} />
      <Button size="sm" variant="subtle" disabled={!isFiltered} onClick={() => show(none)}>
        Clear
      </Button>
    </fieldset>
  );
}

interface ExportProps {
  readonly format: "csv" | "json";
  readonly filter: Readonly<Record<string, string | undefined>>;
}

/** Takes along what the filters find, as one file. */
function ExportButton({ format, filter }: ExportProps) {
  const address = contributors.exportAudit.path + stringifySearch({ format, ...filter });
  return (
    <Button component="a" href={address} download size="sm" variant="default">
      {format.toUpperCase()}
      <span className="hidden"> file of these changes</span>
    </Button>
  );
}

function Entry({ entry }: { readonly entry: contributors.AuditEntry }) {
  const { subject, action, ...rest } = entry;
  const { tone, words, namesSubject } = describeAudit(action);
  const about = namesSubject ? <LinkedText text={subject} /> : undefined;
  return <AuditRow {...rest} tone={tone} words={words} subject={about} names={keyNames} />;
}
