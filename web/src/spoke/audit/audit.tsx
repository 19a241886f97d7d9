import { nestEvents } from "@nest/protocol";
import { AuditRow } from "../../shared/audit/audit-row.tsx";
import { call } from "../../shared/call/call.ts";
import { ListPage } from "../../shared/lists/list-page.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { useSearchState } from "../../shared/router/search.ts";
import { Loading } from "../../shared/states/states.tsx";
import { useRefusal, useVisitor } from "../session/session.ts";
import { AuditSearch } from "./audit-search.ts";

const ROWS = 100;
const ROW_PX = 76;

/** Who changed what on this nest, newest first, with the values on either side; for whoever may read it. */
export function Audit() {
  const isKnown = useVisitor() !== undefined;
  const refusal = useRefusal("operate");
  if (isKnown && refusal === undefined) return <Changes />;
  return (
    <>
      <div className="page-head">
        <h1>Audit</h1>
      </div>
      {isKnown ? (
        <p className="notice">Only people with the role read-write or more see who changed what.</p>
      ) : (
        <Loading rows={8} />
      )}
    </>
  );
}

function Changes() {
  const [{ actor = "" }, show] = useSearchState(AuditSearch);
  const list = usePages(["audit", actor], (cursor, signal) =>
    call(nestEvents.audit, {
      query: { limit: ROWS, ...(cursor === "" ? {} : { cursor }), ...(actor === "" ? {} : { actor }) },
      signal,
    }),
  );
  return (
    <ListPage
      id="audit"
      title="Audit"
      search={{
        label: "Changes by one login",
        placeholder: "Login",
        value: actor,
        change: (text) => show({ actor: text }),
      }}
      list={list}
      rowsOf={(page) => page.entries.map((entry, nth) => ({ entry, key: `${entry.at} ${nth} ${entry.action}` }))}
      empty={actor === "" ? "Nothing was changed yet." : `${actor} changed nothing.`}
      label="Changes, newest first"
      rowHeight={ROW_PX}
      keyOf={({ key }) => key}
      show={({ entry: { action, ...entry } }) => <AuditRow words={action} {...entry} />}
    />
  );
}
