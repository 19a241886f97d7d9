import { describeOutcome, type tasks } from "@nest/protocol";
import { Link } from "@tanstack/react-router";
import { dateAndTime, safeHref } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { Empty } from "../../shared/states/states.tsx";
import { LinkedText } from "../issues/linked-text.tsx";

interface AttemptsProps {
  readonly attempts: readonly tasks.Attempt[];
  readonly title: string;
  /** What stands there where there is none. */
  readonly none: string;
}

/** Tasks of one issue, newest first. */
export function Attempts({ attempts, title, none }: AttemptsProps) {
  return (
    <Panel id="attempts" title={title}>
      {attempts.length === 0 ? (
        <Empty>{none}</Empty>
      ) : (
        <ul className="entry-list">
          {attempts.map((attempt) => (
            <li key={attempt.task_id}>
              <Attempt attempt={attempt} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Attempt({ attempt }: { readonly attempt: tasks.Attempt }) {
  const { words, tone } = describeOutcome(attempt.outcome, attempt.verdict);
  const pull = safeHref(attempt.pr_url);
  return (
    <div className="entry" data-tone={tone}>
      <p className="cut">
        <Link to="/tasks/$id" params={{ id: attempt.task_id } as never}>
          {words}
        </Link>{" "}
        by <bdi>{attempt.github_username}</bdi>
      </p>
      <p className="facts cut">
        <span>{dateAndTime(attempt.assigned_at)}</span>
        {pull === undefined ? undefined : (
          <a href={pull} target="_blank" rel="noopener noreferrer">
            pull request{attempt.pr_state === undefined ? "" : `, ${attempt.pr_state}`}
          </a>
        )}
        {attempt.reason === undefined ? undefined : <LinkedText text={attempt.reason} />}
      </p>
    </div>
  );
}
