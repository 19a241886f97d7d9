import { type contribute, describeUnavailable } from "@nest/protocol";
import { Link } from "@tanstack/react-router";
import { useServerNow } from "../../shared/call/server-time.ts";
import { dateAndTime, duration, spoken } from "../../shared/format/format.ts";
import { Fact, Facts } from "../../shared/layout/facts.tsx";
import { IssueLink } from "../issues/issue-link.tsx";
import { LinkedText } from "../issues/linked-text.tsx";

export interface RelayFactsProps {
  readonly relay: contribute.FleetRelay;
  readonly task: contribute.FleetWork | undefined;
  /** On the page of the task that it has, which is not told again. */
  readonly isTaskKnown?: boolean;
}

/** Readable names of the facts that a relay declares. */
const factWords: Readonly<Record<string, string>> = {
  container_runtime: "Containers",
  os: "System",
  arch: "Processor",
  agent_cli_version: "CLI version",
  credential_type: "Credential",
  trouble: "Cannot work",
};

/** What a relay does now, and what it declared about itself. */
export function RelayFacts({ relay, task, isTaskKnown = false }: RelayFactsProps) {
  const now = useServerNow();
  const { last_failure: failure, capabilities } = relay;
  return (
    <Facts>
      {isTaskKnown ? undefined : (
        <Fact name="Task">
          {task === undefined ? (
            relay.idle_reason === undefined ? (
              "none"
            ) : (
              `none: ${describeUnavailable(relay.idle_reason).label}`
            )
          ) : (
            <TaskWords task={task} now={now} />
          )}
        </Fact>
      )}
      <Fact name="Trust tier">{relay.trust_tier}</Fact>
      <Fact name="Role">
        {relay.role ?? "general work"}
        {relay.role_mismatch === true ? ` (asked for ${relay.client_role})` : ""}
      </Fact>
      <Fact name="Agent CLI">{relay.cli_backend ?? "not declared"}</Fact>
      <Fact name="Model">{relay.model ?? "not declared"}</Fact>
      <Fact name="Protocol">
        {relay.protocol.declared ?? "not declared"}, {relay.protocol.verdict}
      </Fact>
      {Object.entries(capabilities)
        .filter(([name]) => name !== "relay_protocol_version")
        .map(([name, value]) => (
          <Fact key={name} name={factWords[name] ?? spoken(name)}>
            {value}
          </Fact>
        ))}
      <Fact name="Connected">{dateAndTime(relay.connected_at)}</Fact>
      <Fact name="Last message">
        {duration(now - Date.parse(relay.last_activity))} ago; the connection stands and answers pings
      </Fact>
      <Fact name="Connection">{relay.connection_id}</Fact>
      {relay.credential_failure === undefined ? undefined : (
        <Fact name="No token from the hub">
          <LinkedText text={relay.credential_failure.reason} /> (
          {duration(now - Date.parse(relay.credential_failure.at))} ago)
        </Fact>
      )}
      {relay.session === undefined ? undefined : (
        <Fact name="Session">
          <bdi>{relay.session}</bdi>
        </Fact>
      )}
      {failure === undefined ? undefined : (
        <Fact name="Last failure">
          <Link to="/tasks/$id" params={{ id: failure.task_id } as never}>
            {failure.repo}#{failure.number}
          </Link>
          , {failure.kind}
          {failure.permanent ? ", permanent" : ""}: <LinkedText text={failure.reason} /> (
          {duration(now - Date.parse(failure.at))} ago)
        </Fact>
      )}
    </Facts>
  );
}

function TaskWords({ task, now }: { readonly task: contribute.FleetWork; readonly now: number }) {
  const isHidden = task.private === true;
  return (
    <>
      <Link to="/tasks/$id" params={{ id: task.task_id } as never}>
        {isHidden ? "a task" : `the task of ${task.repo}#${task.number}`}
      </Link>{" "}
      {isHidden ? undefined : (
        <IssueLink repo={task.repo} number={task.number}>
          <bdi>{task.title}</bdi>
        </IssueLink>
      )}
      , for {duration(now - Date.parse(task.assigned_at))}
      {task.note === undefined ? undefined : (
        <>
          : <bdi>{task.note}</bdi>
        </>
      )}
    </>
  );
}
