import type { nestWork } from "@nest/protocol";
import { Link } from "@tanstack/react-router";
import { useServerNow } from "../../shared/call/server-time.ts";
import { duration } from "../../shared/format/format.ts";
import { Fact, Facts } from "../../shared/layout/facts.tsx";
import { Panel } from "../../shared/layout/panel.tsx";
import { ReadNow } from "../queue/read-now.tsx";
import { readWords } from "../queue/repos-read.ts";
import { UnreadNotices } from "../queue/unread-notices.tsx";
import { modeSteps } from "./mode-steps.ts";

/** The mode in force with its thresholds, the level of autonomy, and when the repositories were read. */
export function GovernorPanel({ governor }: { readonly governor: nestWork.GovernorStatus }) {
  const now = useServerNow();
  const { next_eval_at: next, repos } = governor;
  const steps = modeSteps(governor);
  return (
    <Panel id="governor" title="Governor" tools={<ReadNow />}>
      <div className="pad governor">
        {steps.length === 0 ? (
          <p className="soft">No modes are configured: every agent goes by its default interval.</p>
        ) : (
          <ol className="mode-steps" aria-label="Modes by the number of actionable issues">
            {steps.map(({ name, words, isInForce }) => (
              <li key={name} aria-current={isInForce ? "true" : undefined}>
                <b>
                  <bdi>{name}</bdi>
                </b>{" "}
                <span className="soft small">{words}</span>
                {isInForce ? <span className="mark">in force</span> : undefined}
              </li>
            ))}
          </ol>
        )}
        <Facts>
          <Fact name="Autonomy level">{governor.acmm_level} of 6</Fact>
          <Fact name="Open pull requests">{governor.open_pull_requests}</Fact>
          <Fact name="Repositories read">
            {readWords(repos, now)}
            {next === undefined ? "" : `, again ${untilWords(Date.parse(next) - now)}`}
          </Fact>
        </Facts>
        <UnreadNotices repos={repos} />
        {repos.length === 0 ? (
          <p className="notice">
            No repositories are configured. The owner names them in the <Link to="/settings">settings</Link>.
          </p>
        ) : undefined}
      </div>
    </Panel>
  );
}

function untilWords(leftMs: number): string {
  return leftMs <= 0 ? "now" : `in ${duration(leftMs)}`;
}
