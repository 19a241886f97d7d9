import "./tasks.css";
import { Button } from "@mantine/core";
import { describeOutcome, tasks } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { call } from "../../shared/call/call.ts";
import { safeHref } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { useIsAdmin } from "../../shared/session/session.ts";
import { Empty, LoadFailed, Loading } from "../../shared/states/states.tsx";
import { ActivityEntry } from "../operations/activity-entry.tsx";
import { RelayFacts } from "../operations/relay-facts.tsx";
import { askToRequeue } from "../operations/task-actions.tsx";
import { Attempts } from "./attempts.tsx";
import { Output } from "./output.tsx";
import { TaskFacts } from "./task-facts.tsx";

/** While a task is under way it is read again after this time, an ended one much more rarely: a verdict may still come. */
const UNDER_WAY_MS = 3000;
const ENDED_MS = 30_000;

/** One task: what it is about, its lease, everything that happened to it, and the other attempts at its issue. */
export function TaskPage() {
  const { id } = useParams({ strict: false }) as { readonly id: string };
  const { data, error, refetch } = useQuery({
    queryKey: ["task", id],
    queryFn: async ({ signal }) => (await call(tasks.task, { params: { id }, signal })).value,
    refetchInterval: ({ state }) => (state.data?.task.status === "ended" ? ENDED_MS : UNDER_WAY_MS),
  });
  return (
    <>
      <p className="crumb">
        <Link to="/operations">Operations</Link>
      </p>
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

function Shown({ found, again }: { readonly found: tasks.TaskReply; readonly again: () => void }) {
  const { task, events, attempts, relay } = found;
  return (
    <>
      <Head task={task} again={again} />
      <div className="columns">
        <div className="stack">
          <Panel id="lease" title="Task">
            <TaskFacts task={task} />
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
          <Attempts attempts={attempts} />
        </div>
      </div>
    </>
  );
}

const statusWords = { offered: "offered", "in-progress": "under way", away: "its relay is away" } as const;

function Head({ task, again }: { readonly task: tasks.TaskReply["task"]; readonly again: () => void }) {
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
      {isAdmin && task.status !== "ended" ? (
        <Button variant="default" onClick={() => askToRequeue(task, again)}>
          Take back
        </Button>
      ) : undefined}
    </div>
  );
}
