import "./alerts.css";
import { Button } from "@mantine/core";
import { Panel } from "../../shared/layout/panel.tsx";
import { Empty, LoadFailed, Loading } from "../../shared/states/states.tsx";
import { askForChannel } from "./ask-for-channel.ts";
import { ChannelLine } from "./channel-line.tsx";
import { OpenAlerts, useAlerts } from "./open-alerts.tsx";

/** What is wrong at this hub now, and the channels over which people are told. */
export function Alerts() {
  const { data, error, refetch } = useAlerts();
  return (
    <>
      <div className="page-head">
        <h1>Alerts</h1>
        <Button onClick={() => askForChannel()}>Add a channel</Button>
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
              <OpenAlerts open={data.open} />
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
