import "./alerts.css";
import { Button } from "@mantine/core";
import { alerts } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../shared/call/call.ts";
import { dateAndTime } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { Empty, LoadFailed, Loading } from "../../shared/states/states.tsx";
import { openChannelForm } from "./channel-form.tsx";
import { ChannelLine } from "./channel-line.tsx";

const AGAIN_MS = 30_000;

/** What is wrong at this hub now, and the channels over which people are told. */
export function Alerts() {
  const { data, error, refetch } = useQuery({
    queryKey: ["alerts"],
    queryFn: async ({ signal }) => (await call(alerts.alerts, { signal })).value,
    refetchInterval: AGAIN_MS,
    staleTime: 0,
  });
  return (
    <>
      <div className="page-head">
        <h1>Alerts</h1>
        <Button onClick={() => openChannelForm()}>Add a channel</Button>
      </div>
      {error !== null && data === undefined ? (
        <LoadFailed problem={error} again={() => void refetch()} />
      ) : data === undefined ? (
        <Loading rows={6} />
      ) : (
        <div className="stack">
          <Panel id="open" title="Wrong now">
            {data.open.length === 0 ? (
              <Empty>Nothing. What goes wrong is told once, and once when it is over.</Empty>
            ) : (
              <ul className="alert-lines" aria-label="Wrong now">
                {data.open.map((alert) => (
                  <OpenAlert key={`${alert.kind} ${alert.title}`} alert={alert} />
                ))}
              </ul>
            )}
          </Panel>
          <Panel id="channels" title="Channels">
            {data.channels.length === 0 ? (
              <Empty>Nobody is told of anything yet. Add a channel: a webhook, Slack, ntfy or e-mail.</Empty>
            ) : (
              <ul className="alert-lines" aria-label="Channels">
                {data.channels.map((channel) => (
                  <ChannelLine key={channel.name} channel={channel} />
                ))}
              </ul>
            )}
          </Panel>
          {data.knows_backups ? undefined : (
            <p className="soft small">
              This hub does not know when its last backup was: NEST_BACKUP_METRICS_FILE names no file to it.
            </p>
          )}
        </div>
      )}
    </>
  );
}

function OpenAlert({ alert: { title, text, since } }: { readonly alert: alerts.OpenAlert }) {
  return (
    <li className="alert-line">
      <p>
        <b>{title}</b> <span className="soft small">since {dateAndTime(since)}</span>
      </p>
      <p className="facts">{text}</p>
    </li>
  );
}
