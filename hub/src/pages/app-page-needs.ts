import { access, tasks } from "@nest/protocol";

/** The source of each page of the app, by the path of its route: `routes.tsx` of the app imports it when somebody goes there. */
export const pageSources: Readonly<Record<string, string>> = {
  "/operations": "src/hub/operations/operations.tsx",
  "/me": "src/hub/me/me.tsx",
  "/contribute/me": "src/hub/me/me.tsx",
  "/tasks/:id": "src/hub/tasks/task.tsx",
  "/issues/:owner/:name/:number": "src/hub/issues/issue.tsx",
  "/my-nests": "src/hub/my-nests/my-nests.tsx",
  "/my-nests/new": "src/hub/create-nest/create-nest.tsx",
  "/my-nests/:id": "src/hub/my-nests/one-nest.tsx",
  "/my-nests/:id/no-access": "src/hub/my-nests/no-access.tsx",
  "/clusters": "src/hub/clusters/clusters.tsx",
  "/users": "src/hub/users/users.tsx",
  "/settings": "src/hub/queue-settings/queue-settings.tsx",
  "/contributors": "src/hub/contributors/contributors.tsx",
  "/contributors/:id": "src/hub/contributors/contributor.tsx",
  "/alerts": "src/hub/alerts/alerts.tsx",
  "/numbers": "src/hub/numbers/numbers.tsx",
  "/audit": "src/hub/audit/audit.tsx",
  "/issues": "src/hub/find-issues/find-issues.tsx",
  "/tasks": "src/hub/find-tasks/find-tasks.tsx",
  "/tokens": "src/hub/tokens/tokens.tsx",
};

const TASK = /^\/tasks\/([\w-]+)$/;

/** What the page at a path asks the API first, as paths: who is signed in, and on a task's page the task. */
export function asksOf(path: string): readonly string[] {
  const id = TASK.exec(path)?.[1];
  return [access.user.path, ...(id === undefined ? [] : [tasks.task.path.replace(":id", id)])];
}
