import { describeOutcome, type tasks } from "@nest/protocol";
import { Link } from "@tanstack/react-router";
import { dateAndTime, duration, safeHref } from "../../shared/format/format.ts";
import { IssueLink } from "../issues/issue-link.tsx";

/** One task of the history: which issue, who, how it ended. */
export function TaskRow({ task }: { readonly task: tasks.ListedTask }) {
  const { words, tone } = describeOutcome(task.outcome, task.verdict);
  const pull = safeHref(task.pr_url);
  return (
    <div className="entry" data-tone={tone}>
      <p className="cut">
        <Link to="/tasks/$id" params={{ id: task.task_id } as never}>
          <bdi>{task.title}</bdi>
        </Link>
      </p>
      <p className="facts">
        <b>{words}</b>
        <span>
          by{" "}
          <Link to="/contributors/$id" params={{ id: task.contributor_id } as never}>
            <bdi>{task.github_username}</bdi>
          </Link>
        </span>
        <IssueLink repo={task.repo} number={task.number} />
        {task.backend === undefined ? undefined : <bdi>{task.backend}</bdi>}
        {task.model === undefined ? undefined : <bdi>{task.model}</bdi>}
        <span>{dateAndTime(task.assigned_at)}</span>
        {task.ended_at === undefined ? undefined : (
          <span>took {duration(Date.parse(task.ended_at) - Date.parse(task.assigned_at))}</span>
        )}
        {pull === undefined ? undefined : (
          <a href={pull} target="_blank" rel="noopener noreferrer">
            pull request{task.pr_state === undefined ? "" : `, ${task.pr_state}`}
          </a>
        )}
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
