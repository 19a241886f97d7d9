import { NestError, TimeSlicer } from "@nest/kit";
import { contribute, health, issues, operations, tasks } from "@nest/protocol";
import { type HubRoutes, isAdmin, type Viewer } from "../access/viewer.ts";
import { DAY_HOURS, type DoneByHour } from "./done-by-hour.ts";
import { sendFile } from "./file-answer.ts";
import { issueFile } from "./issue-file.ts";
import type { IssueReadModel } from "./issue-read-model.ts";
import type { Metrics } from "./metrics.ts";
import type { ReadModel } from "./read-model.ts";
import type { TaskReadModel } from "./task-read-model.ts";
import { type Visibility, visibilityOf } from "./visibility.ts";
import type { WaitHistogram } from "./wait-histogram.ts";

export interface OperationsRouteDeps {
  readonly readModel: ReadModel;
  readonly taskReadModel: TaskReadModel;
  readonly issueReadModel: IssueReadModel;
  /** The contributor's record of who asks; undefined for somebody who never registered. */
  readonly contributorOf: (viewer: Viewer) => string | undefined;
  readonly metrics: Metrics;
  readonly doneByHour: DoneByHour;
  readonly waits: WaitHistogram;
  readonly now: () => number;
  /** The OpenAPI description of every route. */
  readonly describeApi: () => Record<string, unknown>;
  /** The visibility of people without admin rights; admins see every repository. */
  readonly publicVisibility: Visibility;
}

const CHARTED_HOURS = 168;

/** The routes for watching the hub: status, queue, fleet, feed, metrics and the description of all routes. */
export function registerOperationsRoutes(routes: HubRoutes, deps: OperationsRouteDeps): void {
  const { readModel, metrics, doneByHour, now, publicVisibility } = deps;
  const visibility = (viewer: Viewer): Visibility => visibilityOf(viewer, publicVisibility);

  routes.serve(health.health, () => ({ status: "ok" as const }));
  routes.serve(health.livez, () => ({ status: "ok" as const }));
  routes.serve(contribute.status, async ({ viewer, reply }) => {
    await readModel.refreshed();
    const status = readModel.status(visibility(viewer));
    reply.header("x-nest-contribute-protocol", status.api_version);
    return status;
  });
  // What each open Operations page asks for again and again.
  const sharing = { sharedAmong: (viewer: Viewer) => (isAdmin(viewer) ? "admins" : "everybody") };
  routes.serve(
    contribute.queue,
    ({ query, viewer }) => new TimeSlicer().through(readModel.queue(query, visibility(viewer))),
    sharing,
  );
  routes.serve(contribute.exportQueue, async ({ query: { format, ...filter }, viewer, request, reply }) => {
    const { all } = await new TimeSlicer().through(readModel.foundIssues(filter, visibility(viewer)));
    return sendFile({ request, reply }, { format, day: now() }, issueFile(readModel, all, visibility(viewer)));
  });
  routes.serve(contribute.fleet, async ({ query, viewer }) => {
    await readModel.refreshed();
    return new TimeSlicer().through(readModel.fleet(visibility(viewer), query));
  });
  routes.serve(contribute.activity, ({ query, viewer }) =>
    readModel.activity(query.limit, query.cursor, visibility(viewer)),
  );
  routes.serve(tasks.task, async ({ params, viewer }) => {
    await readModel.refreshed();
    return deps.taskReadModel.task(params.id ?? "", visibility(viewer));
  });
  routes.serve(tasks.pullRequest, async ({ params }) => {
    const found = await deps.taskReadModel.pullRequest(params.id ?? "");
    return found === undefined ? {} : { pull_request: found };
  });
  routes.serve(tasks.output, ({ params, viewer }) =>
    deps.taskReadModel.output(params.id ?? "", { isAdmin: isAdmin(viewer), contributorId: deps.contributorOf(viewer) }),
  );
  routes.serve(issues.issue, ({ params, viewer }) => {
    const { owner = "", name = "", number = "" } = params;
    if (!/^[1-9]\d{0,9}$/.test(number)) throw new NestError("not_found", "an issue has a number");
    const who = { visibility: visibility(viewer), isAdmin: isAdmin(viewer) };
    return deps.issueReadModel.issue(`${owner}/${name}`, Number(number), who);
  });
  routes.serve(
    operations.history,
    () => {
      const summary = deps.waits.summary(now());
      const hours = doneByHour.hours(CHARTED_HOURS, now());
      return {
        hours,
        day: doneByHour.sum(DAY_HOURS, now()),
        week: doneByHour.sum(CHARTED_HOURS, now()),
        ...(summary === undefined ? {} : { ready_to_assign: summary }),
      };
    },
    sharing,
  );
  routes.serve(operations.metrics, async ({ reply }) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
  routes.serve(operations.openapi, () => deps.describeApi());
}
