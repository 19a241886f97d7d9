import "./tasks.css";
import { Button } from "@mantine/core";
import { describeOutcome, issues, tasks } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { call } from "../../shared/call/call.ts";
import { safeHref } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { Crumbs } from "../../shared/router/crumbs.tsx";
import { useIsAdmin } from "../../shared/session/session.ts";
import { Empty, LoadFailed, Loading } from "../../shared/states/states.tsx";
import { IssueActions } from "../issues/issue-actions.tsx";
import { askToWrite } from "../messages/messages.tsx";
import { ActivityEntry } from "../operations/activity-entry.tsx";
import { RelayFacts } from "../operations/relay-facts.tsx";
import { askToRequeue } from "../operations/task-actions.tsx";
import { Attempts } from "./attempts.tsx";
import { Output } from "./output.tsx";
import { TaskFacts } from "./task-facts.tsx";

/** While a task is under way it is read again after this time, an ended one much more rarely: a verdict may still come. */
const UNDER_WAY_MS = 3000;
const ENDED_MS = 30_000;

const above = [["/operations", "Operations"]] as const;

/** One task: what it is about, its lease, everything that happened to it, and the other attempts at its issue. */
export function TaskPage() {
  const { id } = useParams({ strict: false }) as { readonly id: string };
  const isAdmin = useIsAdmin();
  const { data, error, refetch } = useQuery({
    queryKey: ["task", id],
    queryFn: async ({ signal }) => (await call(tasks.task, { params: { id }, signal })).value,
    refetchInterval: ({ state }) => (state.data?.task.status === "ended" ? ENDED_MS : UNDER_WAY_MS),
  });
  return (
    <>
      <Crumbs pages={isAdmin ? [...above, ["/tasks", "Tasks"]] : above} />
      {error !== null && data === undefined ? (
        <LoadFailed problem={error} again={() => void refetch()} />
      ) : data === undefined ? (
        <Loading rows={8} />
      ) : (
        <Shown found={data} again={() => void refetch()} />
      )}
    </>
  );
}

/** What the hub says of the task's issue now. Without it the page of the task shows the rest. */
function useIssue({ repo, number }: tasks.TaskReply["task"]): issues.IssueReply | undefined {
  const [owner = "", name = ""] = repo.split("/");
  const params = { owner, name, number: String(number) };
  const { data } = useQuery({
    queryKey: ["issue", ...Object.values(params)],
    queryFn: async ({ signal }) => (await call(issues.issue, { params, signal })).value,
    refetchInterval: ENDED_MS,
  });
  return data;
}

function Shown({ found, again }: { readonly found: tasks.TaskReply; readonly again: () => void }) {
  const { task, events, attempts, relay } = found;
  const issue = useIssue(task);
  return (
    <>
      <Head task={task} issue={issue} again={again} />
      <div className="columns">
        <div className="stack">
          <Panel id="lease" title="Task">
            <TaskFacts task={task} issue={issue} />
          </Panel>
          {relay === undefined ? undefined : (
            <Panel id="relay" title="The relay that has it">
              <div className="pad">
                <RelayFacts relay={relay} task={undefined} isTaskKnown />
              </div>
            </Panel>
          )}
        </div>
        <div className="stack">
          <Output task={task} />
          <Panel id="events" title="What happened">
            {events.length === 0 ? (
              <Empty>The feed does not reach back to this task.</Empty>
            ) : (
              <ol className="entry-list" aria-label="What happened, oldest first">
                {events.map((entry) => (
                  <li key={entry.id}>
                    <ActivityEntry entry={entry} isLinked={false} />
                  </li>
                ))}
              </ol>
            )}
          </Panel>
          <Attempts attempts={attempts} title="Other attempts at this issue" none="This is the first." />
        </div>
      </div>
    </>
  );
}

const statusWords = { offered: "offered", "in-progress": "under way", away: "its relay is away" } as const;

interface HeadProps {
  readonly task: tasks.TaskReply["task"];
  readonly issue: issues.IssueReply | undefined;
  readonly again: () => void;
}

function Head({ task, issue, again }: HeadProps) {
  const isAdmin = useIsAdmin();
  const href = safeHref(task.url);
  const title = `${task.repo}#${task.number}`;
  const state = task.status === "ended" ? describeOutcome(task.outcome, task.verdict).words : statusWords[task.status];
  return (
    <div className="page-head">
      <h1>
        {href === undefined ? (
          title
        ) : (
          <a href={href} target="_blank" rel="noopener noreferrer">
            {title}
          </a>
        )}{" "}
        <small className="soft">{state}</small>
      </h1>
      {isAdmin ? (
        <div className="card-acts">
          {task.status === "ended" ? undefined : (
            <Button variant="default" onClick={() => askToRequeue(task, again)}>
              Take back
            </Button>
          )}
          {issue?.issue === undefined ? undefined : <IssueActions item={issue.issue} />}
          <Button
            variant="default"
            onClick={() => askToWrite({ id: task.contributor_id, login: task.github_username, taskId: task.task_id })}
          >
            Write…
          </Button>
        </div>
      ) : undefined}
    </div>
  );
}
