import { describeHeldBack, nestWork } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../../shared/call/call.ts";
import { count, plural } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { Empty, LoadFailed, Loading } from "../../shared/states/states.tsx";

/** The queue in bands: what agents may take, then each reason for which the rest is held back, each a link to those issues. */
export function QueueBands() {
  const { data, error, refetch } = useQuery({
    queryKey: ["queue", "bands"],
    queryFn: async ({ signal }) => (await call(nestWork.work, { query: { limit: 1 }, signal })).value,
  });
  if (data === undefined)
    return (
      <Panel id="queue" title="Queue">
        {error === null ? <Loading /> : <LoadFailed problem={error} again={() => void refetch()} />}
      </Panel>
    );
  const reasons = Object.entries(data.held_back).sort(([, one], [, other]) => other - one);
  const most = Math.max(1, data.actionable, ...reasons.map(([, number]) => number));
  const total = data.actionable + reasons.reduce((sum, [, number]) => sum + number, 0);
  return (
    <Panel id="queue" title="Queue" tally={plural(total, "open issue")}>
      {total === 0 ? (
        <Empty>No open issues.</Empty>
      ) : (
        <ul className="bands">
          <Band show="actionable" words="actionable" number={data.actionable} most={most} />
          {reasons.map(([reason, number]) => (
            <Band key={reason} show={reason} words={describeHeldBack(reason).label} number={number} most={most} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

interface BandProps {
  readonly show: string;
  readonly words: string;
  readonly number: number;
  readonly most: number;
}

function Band({ show, words, number, most }: BandProps) {
  return (
    <li>
      <Link to="/queue" search={{ show } as never}>
        {words}
      </Link>
      <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect className={show === "actionable" ? "good" : "quiet"} width={(number / most) * 100} height="1" />
      </svg>
      <span className="number">{count(number)}</span>
    </li>
  );
}
