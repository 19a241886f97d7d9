import "./alerts.css";
import { alerts, type HubAlertKind } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../shared/call/call.ts";
import { dateAndTime } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { useIsAdmin } from "../../shared/session/session.ts";

const AGAIN_MS = 30_000;

/** What is wrong and who is told of it; read again every half minute. */
export function useAlerts(enabled = true) {
  return useQuery({
    queryKey: ["alerts"],
    queryFn: async ({ signal }) => (await call(alerts.alerts, { signal })).value,
    refetchInterval: AGAIN_MS,
    staleTime: 0,
    enabled,
  });
}

/** What is wrong now, above all else that admins see. Nothing while nothing is wrong. */
export function WrongNow() {
  const { data } = useAlerts(useIsAdmin());
  if (data === undefined || data.open.length === 0) return undefined;
  return (
    <Panel id="wrong" title="Wrong now" tally={String(data.open.length)}>
      <OpenAlerts open={data.open} />
    </Panel>
  );
}

/** Each alert with the way to its cause. */
export function OpenAlerts({ open }: { readonly open: readonly alerts.OpenAlert[] }) {
  return (
    <ul className="alert-lines" aria-label="Wrong now">
      {open.map(({ kind, title, text, since }) => (
        <li className="alert-line" key={`${kind} ${title}`}>
          <p>
            <b>{title}</b> <span className="soft small">since {dateAndTime(since)}</span>
          </p>
          <p className="facts">{text}</p>
          <Way kind={kind} />
        </li>
      ))}
    </ul>
  );
}

/** Where the cause of an alert is looked for; undefined where no page of the hub shows it. */
const ways: Readonly<Record<HubAlertKind, readonly [address: string, words: string] | undefined>> = {
  code_host_failing: ["/operations#repositories", "The repositories, and reading them again"],
  queue_empty: ["/issues", "Why issues are not on offer"],
  queue_stuck: ["/operations#relays", "Why relays have no task"],
  failure_rate: ["/tasks?outcome=failed", "The tasks that failed"],
  backup_old: undefined,
  hub_restored: ["/audit?action=hub+restored", "The restore in the audit"],
  replica_lost: undefined,
  credential_ending: ["/tokens", "The API tokens"],
};

function Way({ kind }: { readonly kind: HubAlertKind }) {
  const way = ways[kind];
  if (way === undefined) return undefined;
  return (
    <p>
      <a href={way[0]}>{way[1]}</a>
    </p>
  );
}
