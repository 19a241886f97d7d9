import { Button } from "@mantine/core";
import { contributors } from "@nest/protocol";
import { AuditRow } from "../../shared/audit/audit-row.tsx";
import { call } from "../../shared/call/call.ts";
import { DialogBox } from "../../shared/forms/dialogs.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { Empty, LoadFailed, Loading } from "../../shared/states/states.tsx";
import { settingsBefore } from "./earlier.ts";
import type { Settings } from "./faults.ts";
import { keyNames } from "./key-names.ts";
import type { SettingsDraft } from "./use-settings.ts";

const ROWS = 50;

export interface HistoryProps {
  readonly opened: boolean;
  readonly close: () => void;
  /** What is in force now. */
  readonly inForce: Settings;
  readonly change: SettingsDraft["change"];
}

/** Who changed the queue configuration and when, newest first; what was in force before a change is taken into the draft. */
export function History({ opened, close, inForce, change }: HistoryProps) {
  return (
    <DialogBox isOpen={opened} close={close} title="What was changed, and by whom" size="lg">
      <Changes
        inForce={inForce}
        take={(earlier) => {
          change(earlier);
          close();
        }}
      />
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
