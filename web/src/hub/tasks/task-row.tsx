import { type contributors, describeOutcome, type tasks } from "@nest/protocol";
import { Link } from "@tanstack/react-router";
import { useServerNow } from "../../shared/call/server-time.ts";
import { dateAndTime, duration, safeHref } from "../../shared/format/format.ts";
import { IssueLink } from "../issues/issue-link.tsx";
import { LinkedText } from "../issues/linked-text.tsx";

export interface TaskRowProps {
  readonly task: contributors.ContributorTask & Pick<tasks.ListedTask, "backend" | "model">;
  /** Whose task it is, where the list is not of one contributor alone. */
  readonly by?: { readonly id: string; readonly login: string };
}

/** One task of a history: which issue, who, how it ended, how long it took. */
export function TaskRow({ task, by }: TaskRowProps) {
  const now = useServerNow();
  const { words, tone } = describeOutcome(task.outcome, task.verdict);
  const pull = safeHref(task.pr_url);
  const tookMs = (task.ended_at === undefined ? now : Date.parse(task.ended_at)) - Date.parse(task.assigned_at);
  return (
    <div className="entry" data-tone={tone}>
      <p className="cut">
        <Link to="/tasks/$id" params={{ id: task.task_id } as never}>
          <bdi>{task.title}</bdi>
        </Link>
      </p>
      <p className="facts">
        <b>{words}</b>
        {by === undefined ? undefined : (
          <span>
            by{" "}
            <Link to="/contributors/$id" params={{ id: by.id } as never}>
              <bdi>{by.login}</bdi>
            </Link>
          </span>
        )}
        <IssueLink repo={task.repo} number={task.number} />
        {task.backend === undefined ? undefined : <bdi>{task.backend}</bdi>}
        {task.model === undefined ? undefined : <bdi>{task.model}</bdi>}
        <span>{dateAndTime(task.assigned_at)}</span>
        <span>
          {task.ended_at === undefined ? "for" : "took"} {duration(tookMs)}
        </span>
        {pull === undefined ? undefined : (
          <a href={pull} target="_blank" rel="noopener noreferrer">
            pull request{task.pr_state === undefined ? "" : `, ${task.pr_state}`}
          </a>
        )}
      </p>
      {task.reason === undefined ? undefined : (
        <p className="facts cut">
          {task.failure_kind === undefined ? undefined : <span>{task.failure_kind}</span>}
          <LinkedText text={task.reason} />
        </p>
      )}
    </div>
  );
}
