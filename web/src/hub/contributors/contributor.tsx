import { Button } from "@mantine/core";
import { contributors } from "@nest/protocol";
import { Link, useParams } from "@tanstack/react-router";
import { call } from "../../shared/call/call.ts";
import { dateAndTime } from "../../shared/format/format.ts";
import { Counter, Counters } from "../../shared/layout/counters.tsx";
import { Panel } from "../../shared/layout/panel.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { Crumbs } from "../../shared/router/crumbs.tsx";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";
import { IssueLink } from "../issues/issue-link.tsx";
import { useLive } from "../live/live.ts";
import { askToWrite, Messages } from "../messages/messages.tsx";
import { askToRequeue } from "../operations/task-actions.tsx";
import { PausePanel } from "../pauses/contributor-pause.tsx";
import { ConnectedRelays } from "./connected.tsx";
import { History } from "./history.tsx";
import { Limits } from "./limits.tsx";
import { PausedBadge } from "./paused-badge.tsx";
import { Roles } from "./roles.tsx";
import { Standing } from "./standing.tsx";
import { TierBadge } from "./tier-badge.tsx";

const ROWS = 50;

/** One contributor: how they stand, what they may use, what they did, and what an admin can decide about them. */
export function Contributor() {
  const { id } = useParams({ strict: false }) as { readonly id: string };
  const { pages, problem, again, more } = usePages(["contributor", id], (cursor, signal) =>
    call(contributors.contributor, { params: { id }, query: { limit: ROWS, cursor }, signal }),
  );
  const tasks = useLive((live) => live.fleet?.tasks);
  if (problem !== undefined) return <LoadFailed problem={problem} again={again} />;
  const [first] = pages ?? [];
  if (pages === undefined || first === undefined) return <Loading rows={8} />;
  const { contributor: one, limits, messages } = first;
  const held = tasks?.filter((task) => task.contributor_id === one.contributor_id) ?? [];
  return (
    <>
      <Crumbs pages={[["/contributors", "Contributors"]]} />
      <div className="page-head">
        <h1>
          <bdi>{one.github_username}</bdi> <TierBadge name={one.trust_tier} /> <PausedBadge one={one} />
        </h1>
        <Button variant="default" onClick={() => askToWrite({ id: one.contributor_id, login: one.github_username })}>
          Write…
        </Button>
      </div>
      <Counters>
        <Counter name="Verified pull requests" value={one.total_tasks_completed_with_pr} />
        <Counter name="Finished tasks" value={one.total_tasks_completed} />
        <Counter name="Failed" value={one.total_tasks_failed} />
        <Counter name="Connected" value={one.active ? "now" : "no"} />
      </Counters>
      <p className="soft small under-counters">
        Registered {dateAndTime(one.registered_at)}
        {one.last_active === undefined ? "" : `, last given work ${dateAndTime(one.last_active)}`}. Finished are all
        tasks that they ended themselves, also those that were blocked or needed no work.
      </p>
      <div className="columns">
        <div className="stack">
          <Standing one={one} />
          {one.trust_tier === "revoked" ? undefined : <PausePanel one={one} />}
          {limits === undefined ? undefined : <Limits limits={limits} />}
          <Roles one={one} />
        </div>
        <div className="stack">
          <ConnectedRelays contributorId={one.contributor_id} />
          <Messages messages={messages} />
          {held.length === 0 ? undefined : (
            <Panel id="held" title="Under way">
              <ul className="plain-list">
                {held.map((task) => (
                  <li key={task.task_id} className="queue-row">
                    <span className="issue cut">
                      <Link to="/tasks/$id" params={{ id: task.task_id } as never}>
                        task
                      </Link>{" "}
                      <IssueLink repo={task.repo} number={task.number} /> <bdi>{task.title}</bdi>
                    </span>
                    <Button size="compact-sm" variant="default" onClick={() => askToRequeue(task)}>
                      Take back
                    </Button>
                  </li>
                ))}
              </ul>
            </Panel>
          )}
          <History tasks={pages.flatMap((page) => page.history)} more={more} />
        </div>
      </div>
    </>
  );
}
