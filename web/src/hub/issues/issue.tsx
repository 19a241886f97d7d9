import "../tasks/tasks.css";
import "./issues.css";
import { describeWithheld, issues } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { call } from "../../shared/call/call.ts";
import { count, dateAndTime, plural, safeHref } from "../../shared/format/format.ts";
import { Fact, Facts } from "../../shared/layout/facts.tsx";
import { Panel } from "../../shared/layout/panel.tsx";
import { Crumbs } from "../../shared/router/crumbs.tsx";
import { useIsAdmin } from "../../shared/session/session.ts";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";
import { Attempts } from "../tasks/attempts.tsx";
import { IssueActions } from "./issue-actions.tsx";
import { LinkedText } from "./linked-text.tsx";
import { RuleList } from "./rule-list.tsx";

/** What the stream does not tell, as an end that is reached, is read anew after this time. */
const AGAIN_MS = 15_000;

/** One issue: whether it is offered now and why not, rule by rule, its place in the queue, and every attempt at it. */
export function IssuePage() {
  const { owner, name, number } = useParams({ strict: false }) as Readonly<Record<"owner" | "name" | "number", string>>;
  const { data, error, refetch } = useQuery({
    queryKey: ["issue", owner, name, number],
    queryFn: async ({ signal }) => (await call(issues.issue, { params: { owner, name, number }, signal })).value,
    refetchInterval: AGAIN_MS,
  });
  return (
    <>
      <Crumbs
        pages={[
          ["/operations", "Operations"],
          ["/issues", "Issues"],
        ]}
      />
      {error !== null && data === undefined ? (
        <LoadFailed problem={error} again={() => void refetch()} />
      ) : data === undefined ? (
        <Loading rows={8} />
      ) : (
        <Shown found={data} />
      )}
    </>
  );
}

function Shown({ found }: { readonly found: issues.IssueReply }) {
  const { issue, rules, attempts, closed } = found;
  return (
    <>
      <Head found={found} />
      {closed.map(({ reason, because, until, by }) => (
        <p className="notice closed-notice" key={reason}>
          Nothing is handed out to anybody
          {by === undefined ? undefined : (
            <>
              , paused by <bdi>{by}</bdi>
            </>
          )}
          : <bdi>{because}</bdi>
          {until === undefined ? "" : `, until ${dateAndTime(until)}`}.
        </p>
      ))}
      <div className="columns">
        <div className="stack">
          <Panel id="facts" title="Issue">
            <IssueFacts found={found} />
          </Panel>
          <Attempts attempts={attempts} title="Attempts" none="Nobody was given it yet." />
        </div>
        <div className="stack">{issue === undefined ? undefined : <RuleList rules={rules} />}</div>
      </div>
    </>
  );
}

const unknownWords = {
  not_open: "not open",
  not_read: "not read yet",
  not_served: "not served here",
} as const;

function stateOf({ issue, unknown = "not_open", place, actionable_items: all }: issues.IssueReply): string {
  if (issue === undefined) return unknownWords[unknown];
  if (issue.withheld !== undefined) return describeWithheld(issue.withheld.reason).label;
  return place === undefined ? "on offer" : `on offer, number ${count(place)} of ${count(all)}`;
}

function Head({ found }: { readonly found: issues.IssueReply }) {
  const isAdmin = useIsAdmin();
  const { repo, number, issue } = found;
  const href = safeHref(issue?.url);
  const name = `${repo}#${number}`;
  return (
    <div className="page-head">
      <h1>
        {href === undefined ? (
          name
        ) : (
          <a href={href} target="_blank" rel="noopener noreferrer">
            {name}
          </a>
        )}{" "}
        <small className="soft">{stateOf(found)}</small>
      </h1>
      {isAdmin && issue !== undefined ? (
        <div className="card-acts">
          <IssueActions item={issue} />
        </div>
      ) : undefined}
    </div>
  );
}

const unknownSentences = {
  not_open: "The code host does not list it as open any more: it is offered to nobody.",
  not_read: "Its repository was not read yet: it is offered to nobody.",
  not_served: "This hub does not serve its repository any more: it is offered to nobody.",
} as const;

function IssueFacts({ found }: { readonly found: issues.IssueReply }) {
  const { issue, unknown = "not_open", failures, quarantine_at, hold } = found;
  return (
    <div className="pad">
      {issue === undefined ? <p>{unknownSentences[unknown]}</p> : undefined}
      <Facts>
        {issue === undefined ? undefined : (
          <>
            <Fact name="Title">{issue.title}</Fact>
            <Fact name="Offered">
              {issue.withheld === undefined ? (
                "yes, to everybody who may get work"
              ) : (
                <LinkedText text={`no: ${issue.withheld.because}`} />
              )}
            </Fact>
            {issue.ordered === true ? <Fact name="Pinned">to the front of the queue</Fact> : undefined}
            <Fact name="Labels">{issue.labels.length === 0 ? "none" : issue.labels.join(", ")}</Fact>
            <Fact name="Author">{issue.author}</Fact>
            {issue.assignees.length === 0 ? undefined : <Fact name="Assigned to">{issue.assignees.join(", ")}</Fact>}
            <Fact name="Changed">{dateAndTime(issue.updated_at)}</Fact>
          </>
        )}
        {hold === undefined ? undefined : (
          <Fact name="Held">
            {hold.by === undefined ? "" : `by ${hold.by} `}since {dateAndTime(hold.at)},{" "}
            {hold.until === undefined ? "until somebody lets it go" : `until ${dateAndTime(hold.until)}`}
            {hold.reason === "" ? "" : `: ${hold.reason}`}
          </Fact>
        )}
        <Fact name="Failures in a row">
          {failures === 0 ? "none" : plural(failures, "failure")}; {quarantine_at} quarantine it
        </Fact>
      </Facts>
    </div>
  );
}
