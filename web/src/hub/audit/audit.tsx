import "./audit.css";
import { Chip } from "@mantine/core";
import { auditActions, contributors, describeAudit } from "@nest/protocol";
import { call } from "../../shared/call/call.ts";
import { ValueDiff } from "../../shared/drafts/value-diff.tsx";
import { dateAndTime } from "../../shared/format/format.ts";
import { ListPanel } from "../../shared/lists/list-panel.tsx";
import { PagedList } from "../../shared/lists/paged-list.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { useSearchState } from "../../shared/router/search.ts";
import { keyNames } from "../queue-settings/key-names.ts";
import { AuditSearch } from "./audit-search.ts";

const ROWS = 100;
const ROW_PX = 92;

/** Who changed what, newest first, with old and new values. */
export function Audit() {
  const [{ q = "" }, show] = useSearchState(AuditSearch);
  const list = usePages(["audit", q], (cursor, signal) =>
    call(contributors.audit, { query: { limit: ROWS, cursor, q }, signal }),
  );
  return (
    <>
      <div className="page-head">
        <h1>Audit</h1>
      </div>
      <ListPanel
        id="audit"
        title="Audit"
        isWholePage
        search={{
          label: "Search the audit",
          placeholder: "Who, what, whom, or a value",
          value: q,
          change: (text) => show({ q: text }),
        }}
      >
        <fieldset className="reasons" aria-label="Kinds of changes">
          {auditActions.map(({ action, label }) => (
            <Chip
              key={action}
              size="xs"
              variant="outline"
              checked={q === action}
              onChange={(on) => show({ q: on ? action : "" })}
            >
              {label}
            </Chip>
          ))}
        </fieldset>
        <PagedList
          list={list}
          rowsOf={(page) => page.audit}
          empty={q === "" ? "Nothing was changed yet." : "No change has this in it."}
          label="Changes, newest first"
          rowHeight={ROW_PX}
          keyOf={({ id }) => id}
          show={(entry) => <Entry entry={entry} />}
        />
      </ListPanel>
    </>
  );
}

function Entry({ entry }: { readonly entry: contributors.AuditEntry }) {
  const { at, actor, action, subject, before, after } = entry;
  const { tone, words, namesSubject } = describeAudit(action);
  return (
    <div className="audit-row">
      <p>
        <time dateTime={at}>{dateAndTime(at)}</time>{" "}
        <b>
          <bdi>{actor}</bdi>
        </b>{" "}
        <span className="mark" data-tone={tone}>
          {words}
        </span>{" "}
        {namesSubject ? <bdi>{subject}</bdi> : undefined}
      </p>
      <ValueDiff before={before} after={after} names={keyNames} />
    </div>
  );
}
