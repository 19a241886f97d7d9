import "./audit.css";
import { Chip, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { contributors } from "@nest/protocol";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { ValueDiff } from "../../shared/drafts/value-diff.tsx";
import { dateAndTime } from "../../shared/format/format.ts";
import { usePages } from "../../shared/lists/use-pages.ts";
import { VirtualList } from "../../shared/lists/virtual-list.tsx";
import { showInAddress, useAddress } from "../../shared/router/router.ts";
import { Empty, LoadFailed, Loading } from "../../shared/states/states.tsx";
import { keyNames } from "../queue-settings/key-names.ts";

const ROWS = 100;
const ROW_PX = 92;
const TYPING_MS = 250;
const actions = [
  "queue configuration",
  "trust",
  "revoked",
  "requeue",
  "disconnected",
  "queue hold",
  "queue order",
  "agent role",
  "token reissued",
];

/** Who changed what, newest first, with what was and what is. As far back as one scrolls. */
export function Audit() {
  const { query } = useAddress();
  const typed = query.get("q") ?? "";
  const [search] = useDebouncedValue(typed.trim().slice(0, 100), TYPING_MS);
  const [seen, setSeen] = useState(typed);
  const show = (text: string) => {
    setSeen(text);
    showInAddress({ q: text });
  };
  return (
    <>
      <div className="page-head">
        <h1>Audit</h1>
      </div>
      <section className="panel tall" aria-label="Audit">
        <div className="panel-bar">
          <TextInput
            type="search"
            className="grow"
            placeholder="Who, what, whom, or a value"
            aria-label="Search the audit"
            leftSection={<IconSearch size={16} />}
            maxLength={100}
            value={seen}
            onChange={(event) => show(event.currentTarget.value)}
          />
        </div>
        <fieldset className="reasons" aria-label="Kinds of changes">
          {actions.map((action) => (
            <Chip
              key={action}
              size="xs"
              variant="outline"
              checked={seen === action}
              onChange={(on) => show(on ? action : "")}
            >
              {action}
            </Chip>
          ))}
        </fieldset>
        <Entries search={search} />
      </section>
    </>
  );
}

function Entries({ search }: { readonly search: string }) {
  const { pages, problem, again, more } = usePages(["audit", search], (cursor, signal) =>
    call(contributors.audit, { query: { limit: ROWS, cursor, q: search }, signal }),
  );
  if (problem !== undefined) return <LoadFailed problem={problem} again={again} />;
  if (pages === undefined) return <Loading rows={8} />;
  const entries = pages.flatMap((page) => page.audit);
  if (entries.length === 0)
    return <Empty>{search === "" ? "Nothing was changed yet." : "No change has this in it."}</Empty>;
  return (
    <VirtualList
      label="Changes, newest first"
      rows={entries}
      rowHeight={ROW_PX}
      keyOf={({ id }) => id}
      onEnd={more}
      show={(entry) => <Entry entry={entry} />}
    />
  );
}

function Entry({ entry }: { readonly entry: contributors.AuditEntry }) {
  const { at, actor, action, subject, before, after } = entry;
  return (
    <div className="audit-row">
      <p>
        <time dateTime={at}>{dateAndTime(at)}</time>{" "}
        <b>
          <bdi>{actor}</bdi>
        </b>{" "}
        <span className="mark">{action}</span> <bdi>{subject}</bdi>
      </p>
      <ValueDiff before={before} after={after} names={keyNames} />
    </div>
  );
}
