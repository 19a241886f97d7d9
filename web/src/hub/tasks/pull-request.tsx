import { tasks } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../shared/call/call.ts";
import { dateAndTime, safeHref } from "../../shared/format/format.ts";
import { useIsAdmin } from "../../shared/session/session.ts";
import { nameOfAddress } from "../issues/linked-pieces.ts";

const AGAIN_MS = 60_000;

const checkWords = {
  green: "required checks are green",
  red: "a required check is red",
  pending: "required checks have not answered yet",
  none: "no check is required",
} as const;

interface PullRequestProps {
  readonly task: tasks.TaskReply["task"];
  /** Until when the pull request claims the issue, if it does. */
  readonly claimedUntil: string | undefined;
}

/** A task's pull request: whether it counts, whether it claims the issue, and for admins what the code host says of it now. */
export function PullRequest({ task, claimedUntil }: PullRequestProps) {
  const isAdmin = useIsAdmin();
  const href = safeHref(task.pr_url);
  const { data } = useQuery({
    queryKey: ["task-pull-request", task.task_id],
    queryFn: async ({ signal }) =>
      (await call(tasks.pullRequest, { params: { id: task.task_id }, signal })).value.pull_request ?? null,
    enabled: isAdmin && href !== undefined,
    refetchInterval: AGAIN_MS,
  });
  return (
    <>
      <a href={href} target="_blank" rel="noopener noreferrer">
        {nameOfAddress(task.pr_url) ?? task.pr_url}
      </a>
      {task.pr_state === undefined ? "" : `, ${verdictWords(task.pr_state)}`}
      {claimedUntil === undefined ? "" : `; it claims the issue until ${dateAndTime(claimedUntil)}`}
      {data === undefined || data === null ? undefined : (
        <span className="soft" data-tone={data.checks === "red" ? "bad" : ""}>
          {" "}
          {stateWords(data)}
        </span>
      )}
    </>
  );
}

/** What the hub found when it verified the pull request. */
function verdictWords(state: string): string {
  if (state === "pending") return "not verified yet";
  return state === "refused" ? "not accepted: it does not count" : state;
}

function stateWords({ state, draft, checks, error }: tasks.PullRequestState): string {
  if (error !== undefined || state === undefined) return `(${error ?? "unknown"})`;
  const open = state === "open" && draft === true ? "an open draft" : state;
  return `(${open}${state === "open" && checks !== undefined ? `; ${checkWords[checks]}` : ""})`;
}
