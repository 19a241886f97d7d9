import "./audit.css";
import { Chip, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { contributors } from "@nest/protocol";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { LongList } from "../look/long-list.tsx";
import { Failed, Nothing, Waiting } from "../look/states.tsx";
import { ValueDiff } from "../look/value-diff.tsx";
import { dateAndTime } from "../look/words.ts";
import { showInAddress, usePlace } from "../place/place.ts";
import { keyWords } from "../settings/key-words.ts";
import { call } from "../wire/call.ts";
import { usePages } from "../wire/pages.ts";

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
  const { query } = usePlace();
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
  if (problem !== undefined) return <Failed problem={problem} again={again} />;
  if (pages === undefined) return <Waiting rows={8} />;
  const entries = pages.flatMap((page) => page.audit);
  if (entries.length === 0)
    return <Nothing>{search === "" ? "Nothing was changed yet." : "No change has this in it."}</Nothing>;
  return (
    <LongList
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
      <ValueDiff before={before} after={after} names={keyWords} />
    </div>
  );
}
