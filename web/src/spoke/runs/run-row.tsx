import type { nestRuns } from "@nest/protocol";
import { useServerNow } from "../../shared/call/server-time.ts";
import { dateAndTime, duration } from "../../shared/format/format.ts";
import { AgentLink } from "../links/agent-link.tsx";
import { RunLink } from "../links/run-link.tsx";
import { OutcomeMark } from "./outcome-mark.tsx";
import { diffWords, triggerWords, usageWords } from "./run-words.ts";

/** One run in a list. */
export function RunRow({ run }: { readonly run: nestRuns.Run }) {
  const now = useServerNow();
  const { id, agent, title, issue, started_at: began, ended_at: ended, outcome, diff, usage } = run;
  const length = (ended === undefined ? now : Date.parse(ended)) - Date.parse(began);
  return (
    <div className="queue-row">
      <div className="issue">
        <p className="cut">
          <RunLink id={id}>
            <bdi>{title ?? issue ?? "Without an issue"}</bdi>
          </RunLink>
        </p>
        <p className="facts">
          <OutcomeMark outcome={outcome} />
          <AgentLink name={agent} />
          {issue === undefined || title === undefined ? undefined : <bdi>{issue}</bdi>}
          <span title={dateAndTime(began)}>{duration(now - Date.parse(began))} ago</span>
          <span>
            {ended === undefined ? "for" : "took"} {duration(length)}
          </span>
          <span>{triggerWords(run)}</span>
          {diff === undefined ? undefined : <span>{diffWords(diff)}</span>}
          {usage === undefined ? undefined : <span>{usageWords(usage)}</span>}
        </p>
      </div>
    </div>
  );
}
