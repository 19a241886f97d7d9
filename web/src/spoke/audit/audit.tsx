import { nestEvents } from "@nest/protocol";
import { call } from "../../shared/call/call.ts";
import { ValueDiff } from "../../shared/drafts/value-diff.tsx";
import { dateAndTime } from "../../shared/format/format.ts";
import { ListPanel } from "../../shared/lists/list-panel.tsx";
import { PagedList } from "../../shared/lists/paged-list.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { useSearchState } from "../../shared/router/search.ts";
import { AuditSearch } from "./audit-search.ts";

const ROWS = 100;
const ROW_PX = 76;

/** Who changed what on this nest, newest first, with the values on either side. */
export function Audit() {
  const [{ actor = "" }, show] = useSearchState(AuditSearch);
  const list = usePages(["audit", actor], (cursor, signal) =>
    call(nestEvents.audit, {
      query: { limit: ROWS, ...(cursor === "" ? {} : { cursor }), ...(actor === "" ? {} : { actor }) },
      signal,
    }),
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
          label: "Changes by one login",
          placeholder: "Login",
          value: actor,
          change: (text) => show({ actor: text }),
        }}
      >
        <PagedList
          list={list}
          rowsOf={(page) => page.entries.map((entry, nth) => ({ entry, key: `${entry.at} ${nth} ${entry.action}` }))}
          empty={actor === "" ? "Nothing was changed yet." : `${actor} changed nothing.`}
          label="Changes, newest first"
          rowHeight={ROW_PX}
          keyOf={({ key }) => key}
          show={({ entry }) => <Entry entry={entry} />}
        />
      </ListPanel>
    </>
  );
}

function Entry({ entry: { at, actor, action, subject, before, after } }: { readonly entry: nestEvents.NestAuditLine }) {
  return (
    <div className="audit-row">
      <p>
        <time className="soft small" dateTime={at}>
          {dateAndTime(at)}
        </time>{" "}
        <b>
          <bdi>{actor}</bdi>
        </b>{" "}
        <span className="mark">{action}</span> {subject === undefined ? undefined : <bdi>{subject}</bdi>}
      </p>
      {before === undefined && after === undefined ? undefined : <ValueDiff before={before} after={after} />}
    </div>
  );
}
