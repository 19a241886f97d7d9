import { type contribute, contributors } from "@nest/protocol";
import { ask } from "../look/ask.tsx";
import { attempt } from "../look/told.tsx";
import { call } from "../wire/call.ts";

/** Asks whether to take a task back, and does. */
export function askToRequeue(task: contribute.FleetWork): void {
  const { contributor_id: id, task_id, github_username: login } = task;
  ask({
    title: `Take ${task.repo}#${task.number} back?`,
    consequences: (
      <p>
        <bdi>{login}</bdi> loses the lease at once and their agent's work on it is worth nothing. The issue waits ten
        minutes; nothing is counted against it or them. It is not handed on by itself.
      </p>
    ),
    yes: "Take it back",
    act: () =>
      attempt(
        () => call(contributors.requeue, { params: { id }, body: { task_id } }),
        `${task.repo}#${task.number} was taken back.`,
      ),
  });
}
