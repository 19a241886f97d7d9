import { type contributors, describeOutcome } from "@nest/protocol";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useServerNow } from "../../shared/call/server-time.ts";
import { dateAndTime, duration, safeHref } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { VirtualList } from "../../shared/lists/virtual-list.tsx";
import { Empty } from "../../shared/states/states.tsx";
import { IssueLink } from "../issues/issue-link.tsx";

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
          show={(task) => <Task task={task} />}
        />
      )}
    </Panel>
  );
}

function Task({ task }: { readonly task: contributors.ContributorTask }) {
  const now = useServerNow();
  const { words, tone } = describeOutcome(task.outcome, task.verdict);
  const pull = safeHref(task.pr_url);
  const href = safeHref(task.url);
  const tookMs = (task.ended_at === undefined ? now : Date.parse(task.ended_at)) - Date.parse(task.assigned_at);
  return (
    <div className="entry" data-tone={tone}>
      <p className="cut">
        {href === undefined ? (
          <bdi>{task.title}</bdi>
        ) : (
          <a href={href} target="_blank" rel="noopener noreferrer">
            <bdi>{task.title}</bdi>
          </a>
        )}
      </p>
      <p className="facts">
        <b>
          <Link to="/tasks/$id" params={{ id: task.task_id } as never}>
            {words}
          </Link>
        </b>
        {pull === undefined ? undefined : (
          <a href={pull} target="_blank" rel="noopener noreferrer">
            pull request{task.pr_state === undefined ? "" : `, ${task.pr_state}`}
          </a>
        )}
        <span>
          <IssueLink repo={task.repo} number={task.number} />
        </span>
        <span>{dateAndTime(task.assigned_at)}</span>
        <span>
          {task.ended_at === undefined ? "for" : "took"} {duration(tookMs)}
        </span>
      </p>
      {task.reason === undefined ? undefined : (
        <p className="facts cut">
          {task.failure_kind === undefined ? undefined : <span>{task.failure_kind}</span>}
          <bdi>{task.reason}</bdi>
        </p>
      )}
    </div>
  );
}
