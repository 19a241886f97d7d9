import { Button } from "@mantine/core";
import { contributors } from "@nest/protocol";
import { AuditRow } from "../../shared/audit/audit-row.tsx";
import { call } from "../../shared/call/call.ts";
import { isSame } from "../../shared/drafts/draft.ts";
import { DialogBox } from "../../shared/forms/dialogs.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { Empty, LoadFailed, Loading } from "../../shared/states/states.tsx";
import { showToast } from "../../shared/toast/toast.tsx";
import { settingsBefore, takenWords } from "./earlier.ts";
import type { Key, Settings } from "./faults.ts";
import { keyNames } from "./key-names.ts";
import type { SettingsDraft } from "./use-settings.ts";

const ROWS = 50;

export interface HistoryProps {
  readonly opened: boolean;
  readonly close: () => void;
  /** What is in force now. */
  readonly inForce: Settings;
  readonly change: SettingsDraft["change"];
  /** Called with the first setting that is other by what was taken. */
  readonly show: (key: Key) => void;
}

/** Who changed the queue configuration and when, newest first; what was in force before a change is taken into the draft. */
export function History({ opened, close, inForce, change, show }: HistoryProps) {
  const take = (earlier: Settings) => {
    const keys = Object.keys(earlier) as Key[];
    const others = keys.filter((key) => !isSame(earlier[key], inForce[key]));
    change(earlier);
    close();
    showToast(takenWords(others.map((key) => keyNames[key])));
    // In the order of the page, not of the keys.
    const places = others.map((key) => `.setting[data-keys~="${key}"]`).join(",");
    const first = places === "" ? null : document.querySelector<HTMLElement>(places);
    const shown = others.find((key) => first?.dataset.keys?.split(" ").includes(key));
    if (shown !== undefined) show(shown);
  };
  return (
    <DialogBox isOpen={opened} close={close} title="What was changed, and by whom" size="lg">
      <Changes inForce={inForce} take={take} />
    </DialogBox>
  );
}

function Changes({ inForce, take }: { readonly inForce: Settings; readonly take: (earlier: Settings) => void }) {
  const list = usePages(["audit", "queue configuration"], (cursor, signal) =>
    call(contributors.audit, {
      query: { limit: ROWS, action: "queue configuration", cursor: cursor === "" ? undefined : cursor },
      signal,
    }),
  );
  const changes = list.pages?.flatMap(({ audit }) => audit);
  if (list.problem !== undefined) return <LoadFailed problem={list.problem} again={list.again} />;
  if (changes === undefined) return <Loading rows={4} />;
  if (changes.length === 0) return <Empty>Nothing was changed yet.</Empty>;
  return (
    <>
      <ol className="history" aria-label="Changes, newest first">
        {changes.map(({ id, at, actor, before, after }, nth) => (
          <li key={id}>
            <AuditRow at={at} actor={actor} words="changed" before={before} after={after} names={keyNames} />
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => take(settingsBefore(inForce, changes.slice(0, nth + 1)))}
            >
              Take what was before this
            </Button>
          </li>
        ))}
      </ol>
      {list.more === undefined ? undefined : (
        <Button variant="default" onClick={list.more}>
          Older changes
        </Button>
      )}
    </>
  );
}
