import { type contribute, contributors } from "@nest/protocol";
import { call } from "../../shared/call/call.ts";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { showToast } from "../../shared/toast/toast.tsx";

/** What it takes to name a task and its contributor. */
type Held = Pick<contribute.FleetWork, "task_id" | "contributor_id" | "github_username" | "repo" | "number">;

/** Asks whether to take a task back, and does; `then` once it is done. */
export function askToRequeue(task: Held, then: () => void = () => undefined): void {
  const { contributor_id: id, task_id, github_username: login } = task;
  openConfirm({
    title: `Take ${task.repo}#${task.number} back?`,
    consequences: (
      <p>
        <bdi>{login}</bdi> loses the lease at once and their agent's work on it is worth nothing. The issue waits ten
        minutes; nothing is counted against it or them. It is not handed on by itself. This cannot be undone.
      </p>
    ),
    yes: "Take it back",
    act: async () => {
      await call(contributors.requeue, { params: { id }, body: { task_id } });
      showToast(`${task.repo}#${task.number} was taken back.`);
      then();
    },
  });
}

/** Asks whether to cut a relay's connection, and does. */
export function askToDisconnect(relay: contribute.FleetRelay): void {
  const { contributor_id: id, connection_id, github_username: login } = relay;
  openConfirm({
    title: "Disconnect this relay?",
    consequences: (
      <p>
        This one connection of <bdi>{login}</bdi> is cut. The relay comes back by itself within a minute and goes on
        with the task it holds: nothing is lost and nothing counted. To keep them out, revoke their access.
      </p>
    ),
    yes: "Disconnect",
    act: async () => {
      await call(contributors.disconnect, { params: { id }, body: { connection_id } });
      showToast(`A relay of ${login} was disconnected.`);
    },
  });
}
