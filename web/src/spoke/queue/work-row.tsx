import { describeHeldBack, type nestWork } from "@nest/protocol";
import { useServerNow } from "../../shared/call/server-time.ts";
import { dateAndTime, duration, timeLeft } from "../../shared/format/format.ts";
import { Labels } from "../../shared/lists/labels.tsx";
import { AgentLink } from "../links/agent-link.tsx";
import { WebLink } from "../links/web-link.tsx";
import { ActButton } from "../session/act-button.tsx";

/** One issue of the queue. */
export function WorkRow({ item, kick }: { readonly item: nestWork.WorkItem; readonly kick: () => void }) {
  const now = useServerNow();
  const { key, title, url, author, labels, created_at: created, reason, until, agent } = item;
  return (
    <div className="queue-row">
      <div className="issue">
        <p className="cut">
          <WebLink href={url}>{title}</WebLink>
        </p>
        <p className="facts issue-facts">
          <span className="labelled">
            <span>{key}</span>
            {reason === undefined ? undefined : (
              <span className="mark" data-tone="warn" title={`because ${describeHeldBack(reason).because}`}>
                {describeHeldBack(reason).label}
                {until === undefined ? "" : ` for ${timeLeft(Date.parse(until) - now)}`}
              </span>
            )}
            {agent === undefined ? undefined : <AgentLink name={agent} />}
            <span title={dateAndTime(created)}>
              <bdi>{author}</bdi>, {duration(now - Date.parse(created))} ago
            </span>
            <Labels labels={labels} />
          </span>
        </p>
      </div>
      <ActButton
        right="operate"
        size="compact-sm"
        label={`Set to work on ${key}`}
        because={reason === "in_progress" ? "An agent works on it already." : undefined}
        onClick={kick}
      >
        Set to work
      </ActButton>
    </div>
  );
}
