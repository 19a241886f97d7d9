import { Chip } from "@mantine/core";
import { auditActions, contributors, describeAudit } from "@nest/protocol";
import { AuditRow } from "../../shared/audit/audit-row.tsx";
import { call } from "../../shared/call/call.ts";
import { ListPage } from "../../shared/lists/list-page.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { useSearchState } from "../../shared/router/search.ts";
import { LinkedText } from "../issues/linked-text.tsx";
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
    <ListPage
      id="audit"
      title="Audit"
      search={{
        label: "Search the audit",
        placeholder: "Who, what, whom, or a value",
        value: q,
        change: (text) => show({ q: text }),
      }}
      above={
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
      }
      list={list}
      rowsOf={(page) => page.audit}
      empty={q === "" ? "Nothing was changed yet." : "No change has this in it."}
      label="Changes, newest first"
      rowHeight={ROW_PX}
      keyOf={({ id }) => id}
      show={(entry) => <Entry entry={entry} />}
    />
  );
}

function Entry({ entry }: { readonly entry: contributors.AuditEntry }) {
  const { subject, action, ...rest } = entry;
  const { tone, words, namesSubject } = describeAudit(action);
  const about = namesSubject ? <LinkedText text={subject} /> : undefined;
  return <AuditRow {...rest} tone={tone} words={words} subject={about} names={keyNames} />;
}
