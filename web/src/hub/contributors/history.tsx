import type { contributors } from "@nest/protocol";
import type { ReactNode } from "react";
import { Panel } from "../../shared/layout/panel.tsx";
import { VirtualList } from "../../shared/lists/virtual-list.tsx";
import { Empty } from "../../shared/states/states.tsx";
import { TaskRow } from "../tasks/task-row.tsx";

const ROW_PX = 84;

export interface HistoryProps {
  readonly tasks: readonly contributors.ContributorTask[];
  readonly more: (() => void) | undefined;
  /** What stands there where they were given none. */
  readonly empty?: ReactNode;
}

/** The tasks somebody was given, newest first, and what became of each. */
export function History({ tasks, more, empty = "They were given no task yet." }: HistoryProps) {
  return (
    <Panel id="history" title="History">
      {tasks.length === 0 ? (
        <Empty>{empty}</Empty>
      ) : (
        <VirtualList
          label="Tasks, newest first"
          rows={tasks}
          rowHeight={ROW_PX}
          keyOf={(task) => task.task_id}
          onEnd={more}
          show={(task) => <TaskRow task={task} />}
        />
      )}
    </Panel>
  );
}
