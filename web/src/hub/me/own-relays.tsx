import { Button } from "@mantine/core";
import { type contribute, myContributions } from "@nest/protocol";
import { call } from "../../shared/call/call.ts";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { Panel } from "../../shared/layout/panel.tsx";
import { Empty } from "../../shared/states/states.tsx";
import { useLive } from "../live/live.ts";
import { RelayFacts } from "../operations/relay-facts.tsx";
import { RelayPausedBadge } from "../pauses/relay-pause.tsx";

interface OwnRelaysProps {
  readonly relays: readonly contribute.FleetRelay[];
  readonly again: () => void;
}

/** One's own connected relays: what each does, which version it speaks, and a way to cut one. */
export function OwnRelays({ relays, again }: OwnRelaysProps) {
  const tasks = useLive((live) => live.fleet?.tasks);
  return (
    <Panel id="relays" title="Relays connected now">
      {relays.length === 0 ? (
        <Empty>None of your relays is connected. Start one with contribute-hive.</Empty>
      ) : (
        <ul className="plain-list">
          {relays.map((relay) => (
            <li key={relay.connection_id} className="card">
              <div className="line">
                <b>
                  <bdi>{relay.session ?? "A relay without a name"}</bdi>
                </b>
                <RelayPausedBadge relay={relay} />
                <Button size="compact-sm" variant="default" onClick={() => askToDisconnect(relay, again)}>
                  Disconnect
                </Button>
              </div>
              <RelayFacts relay={relay} task={tasks?.find(({ task_id }) => task_id === relay.current_task)} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function askToDisconnect(relay: contribute.FleetRelay, again: () => void): void {
  const name = relay.session ?? relay.connection_id;
  openConfirm({
    title: `Disconnect ${name}?`,
    consequences:
      "Its connection is cut. A relay that still runs comes back by itself within a minute and goes on with its task; one that is lost gives its task free. To keep it away, issue a new token.",
    yes: "Disconnect",
    act: async () => {
      await call(myContributions.disconnectMine, { body: { connection_id: relay.connection_id } });
      again();
    },
  });
}
