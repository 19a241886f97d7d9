import { describeOutcome, describeWithheld, type issues, type tasks } from "@nest/protocol";
import { useServerNow } from "../../shared/call/server-time.ts";
import { dateAndTime, duration, safeHref } from "../../shared/format/format.ts";
import { Fact, Facts } from "../../shared/layout/facts.tsx";
import { ContributorName } from "../contributors/contributor-name.tsx";
import { IssueLink } from "../issues/issue-link.tsx";
import { LinkedText } from "../issues/linked-text.tsx";
import { PullRequest } from "./pull-request.tsx";

/** A lease with less time left than this is shown as about to run out. */
const SOON_MS = 5 * 60_000;

interface TaskFactsProps {
  readonly task: tasks.TaskReply["task"];
  readonly issue: issues.IssueReply | undefined;
}

/** Who has or had the task, since when, until when, how it ended, and how its issue stands now. */
export function TaskFacts({ task, issue }: TaskFactsProps) {
  const now = useServerNow();
  const pull = safeHref(task.pr_url);
  // A pull request claims the issue while it is open and not red on a required check for long.
  const claim = issue?.rules.find(({ rule, detail }) => rule === "claimed" && detail === task.pr_url)?.until;
  return (
    <div className="pad">
      <Facts>
        <Fact name="Issue">
          <IssueLink repo={task.repo} number={task.number}>
            <bdi>{task.title}</bdi>
          </IssueLink>
        </Fact>
        <Fact name="Contributor">
          <ContributorName login={task.github_username} />
          {task.session === undefined ? undefined : (
            <>
              {" "}
              on <bdi>{task.session}</bdi>
            </>
          )}
        </Fact>
        <Agent task={task} />
        <Fact name="Assigned">{dateAndTime(task.assigned_at)}</Fact>
        <Fact name="Accepted">{task.accepted_at === undefined ? "not yet" : dateAndTime(task.accepted_at)}</Fact>
        {task.expires_at === undefined ? undefined : <Lease expiresAt={task.expires_at} now={now} />}
        {task.note === undefined ? undefined : (
          <Fact name="It says">
            <bdi>{task.note}</bdi>
          </Fact>
        )}
        {task.ended_at === undefined ? undefined : <Ended task={task} />}
        {pull === undefined ? undefined : (
          <Fact name="Pull request">
            <PullRequest task={task} claimedUntil={claim} />
          </Fact>
        )}
        {issue?.issue === undefined ? undefined : (
          <Fact name="The issue now">
            {issue.issue.withheld === undefined
              ? `on offer, number ${issue.place ?? "–"} of ${issue.actionable_items}`
              : describeWithheld(issue.issue.withheld.reason).label}
          </Fact>
        )}
        <Fact name="Task">
          {task.task_id}, generation {task.task_gen}
        </Fact>
      </Facts>
    </div>
  );
}

/** The agent and its contributor's tier as they were when the task was given; of tasks of before they were kept there is none. */
function Agent({ task }: { readonly task: tasks.TaskReply["task"] }) {
  const { backend, model, tier, relay_version: version } = task;
  const none = tier === undefined ? "not recorded" : "not declared";
  return (
    <>
      {backend === undefined ? undefined : (
        <Fact name="Agent">
          <bdi>{backend}</bdi>
        </Fact>
      )}
      <Fact name="Model">
        <bdi>{model ?? none}</bdi>
      </Fact>
      <Fact name="Relay version">
        <bdi>{version ?? none}</bdi>
      </Fact>
      <Fact name="Tier then">{tier ?? "not recorded"}</Fact>
    </>
  );
}

function Lease({ expiresAt, now }: { readonly expiresAt: string; readonly now: number }) {
  const leftMs = Date.parse(expiresAt) - now;
  return (
    <Fact name="Lease">
      <span data-tone={leftMs < SOON_MS ? "warn" : ""}>
        {leftMs <= 0 ? "has run out; the hub takes it back now" : `runs out in ${duration(leftMs)} without a report`}
      </span>
    </Fact>
  );
}

function Ended({ task }: { readonly task: tasks.TaskReply["task"] }) {
  const { words } = describeOutcome(task.outcome, task.verdict);
  const tookMs = Date.parse(task.ended_at ?? task.assigned_at) - Date.parse(task.assigned_at);
  const kind =
    task.failure_kind === undefined ? "" : ` (${task.failure_kind}${task.permanent === true ? ", permanent" : ""})`;
  return (
    <>
      <Fact name="Ended">
        {words}
        {kind}, {dateAndTime(task.ended_at ?? "")}, after {duration(tookMs)}
      </Fact>
      {task.reason === undefined || task.reason === words ? undefined : (
        <Fact name="Reason">
          <LinkedText text={task.reason} />
        </Fact>
      )}
    </>
  );
}
