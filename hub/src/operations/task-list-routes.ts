import { tasks } from "@nest/protocol";
import type { HubRoutes } from "../access/viewer.ts";
import { sendFile, whileSomebodyWaits } from "./file-answer.ts";
import type { TaskLog } from "./task-log.ts";

export interface TaskListRouteDeps {
  readonly taskLog: TaskLog;
  readonly now: () => number;
}

/** Every task that was ever given: a page at a time, and as a file that is sent while it is read. */
export function registerTaskListRoutes(routes: HubRoutes, { taskLog, now }: TaskListRouteDeps): void {
  routes.serve(tasks.list, async ({ query: { facets, ...query }, reply }) => {
    const signal = whileSomebodyWaits(reply);
    const page = await taskLog.page(query, signal);
    if (facets === undefined) return page;
    const { limit: _, cursor: __, ...filter } = query;
    return { ...page, facets: await taskLog.facets(filter, signal) };
  });
  routes.serve(tasks.exportList, ({ query: { format, ...filter }, request, reply }) =>
    sendFile(
      { request, reply },
      { format, day: now() },
      {
        name: "tasks",
        columns: [
          ...["task_id", "repo", "number", "title", "contributor", "backend", "assigned_at", "ended_at", "outcome"],
          ...["verdict", "failure_kind", "reason", "pr_url", "pr_state", "tier", "model", "relay_version"],
        ],
        cellsOf: (one: tasks.ListedTask) => [
          ...[one.task_id, one.repo, one.number, one.title, one.github_username, one.backend, one.assigned_at],
          ...[
            one.ended_at,
            one.outcome ?? one.status,
            one.verdict,
            one.failure_kind,
            one.reason,
            one.pr_url,
            one.pr_state,
          ],
          ...[one.tier, one.model, one.relay_version],
        ],
        rows: (signal) => taskLog.all(filter, signal),
      },
    ),
  );
}
