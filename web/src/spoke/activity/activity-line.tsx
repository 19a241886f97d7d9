import { describeNestActivity, type nestEvents } from "@nest/protocol";
import { useServerNow } from "../../shared/call/server-time.ts";
import { dateAndTime, duration } from "../../shared/format/format.ts";
import { AgentLink } from "../links/agent-link.tsx";
import { RunLink } from "../links/run-link.tsx";
import { WebLink } from "../links/web-link.tsx";

/** One line of the activity, as a sentence. */
export function ActivityLine({ line }: { readonly line: nestEvents.NestActivity }) {
  const now = useServerNow();
  const { at, agent, issue, url, detail, run_id: run } = line;
  const { tone, words } = describeNestActivity(line.action);
  return (
    <div className="entry" data-tone={tone}>
      <p className="cut-two">
        {agent === undefined ? undefined : (
          <b>
            <AgentLink name={agent} />{" "}
          </b>
        )}
        {words}
        {issue === undefined ? undefined : (
          <>
            {": "}
            {url === undefined ? <bdi>{issue}</bdi> : <WebLink href={url}>{issue}</WebLink>}
          </>
        )}
        {detail === undefined ? undefined : (
          <span className="soft">
            {" "}
            <bdi>{detail}</bdi>
          </span>
        )}
      </p>
      <p className="facts">
        <time dateTime={at} title={dateAndTime(at)}>
          {duration(now - Date.parse(at))} ago
        </time>
        {run === undefined ? undefined : <RunLink id={run}>run</RunLink>}
      </p>
    </div>
  );
}
