import { Button } from "@mantine/core";
import type { contribute } from "@nest/protocol";
import { Link } from "@tanstack/react-router";
import { useServerNow } from "../../shared/call/server-time.ts";
import { count, duration, safeHref } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { VirtualList } from "../../shared/lists/virtual-list.tsx";
import { useIsAdmin } from "../../shared/session/session.ts";
import { Empty, Loading } from "../../shared/states/states.tsx";
import { IssueLink } from "../issues/issue-link.tsx";
import { useLive } from "../live/live.ts";
import { askToRequeue } from "./task-actions.tsx";

const ROW_PX = 66;
/** A lease with less time left than this is shown as about to run out. */
const SOON_MS = 5 * 60_000;

/** Tasks under lease, oldest first: who, for how long, and when the lease runs out. */
export function TasksPanel() {
  const fleet = useLive((live) => live.fleet);
  const isAdmin = useIsAdmin();
  return (
    <Panel
      id="tasks"
      title="Tasks under lease"
      tally={fleet === undefined ? undefined : count(fleet.tasks.length)}
      tools={
        isAdmin ? (
          <Link to="/tasks" className="small">
            Find any task
          </Link>
        ) : undefined
      }
    >
      {fleet === undefined ? (
        <Loading />
      ) : fleet.tasks.length === 0 ? (
        <Empty>Nothing is under way.</Empty>
      ) : (
        <VirtualList
          label="Tasks under lease"
          rows={fleet.tasks}
          rowHeight={ROW_PX}
          keyOf={(task) => task.task_id}
          show={(task) => <TaskRow task={task} isAdmin={isAdmin} />}
        />
      )}
    </Panel>
  );
}

const statusWords = { offered: "offered", "in-progress": "working", away: "relay away" } as const;

function TaskRow({ task, isAdmin }: { readonly task: contribute.FleetWork; readonly isAdmin: boolean }) {
  const now = useServerNow();
  const href = safeHref(task.url);
  const leftMs = Date.parse(task.expires_at) - now;
  return (
    <div className="queue-row">
      <div className="issue">
        <p className="cut">
          {href === undefined ? (
            <bdi>{task.title}</bdi>
          ) : (
            <a href={href} target="_blank" rel="noopener noreferrer" title={task.title}>
              <bdi>{task.title}</bdi>
            </a>
          )}
        </p>
        <p className="facts">
          <span className="state" data-state={task.status}>
            <Link to="/tasks/$id" params={{ id: task.task_id } as never}>
              {statusWords[task.status]}
            </Link>
          </span>
          <b>
            <bdi>{task.github_username}</bdi>
          </b>
          <span>for {duration(now - Date.parse(task.assigned_at))}</span>
          <span data-tone={leftMs < SOON_MS ? "warn" : ""}>
            {leftMs <= 0 ? "lease over" : `${duration(leftMs)} left`}
          </span>
          <span>{task.private === true ? "private" : <IssueLink repo={task.repo} number={task.number} />}</span>
          {task.note === undefined ? undefined : <bdi>{task.note}</bdi>}
        </p>
      </div>
      {isAdmin ? (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Take back ${task.repo}#${task.number}`}
          onClick={() => askToRequeue(task)}
        >
          Take back
        </Button>
      ) : undefined}
    </div>
  );
}
