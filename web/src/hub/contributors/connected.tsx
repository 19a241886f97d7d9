import { describeUnavailable } from "@nest/protocol";
import { Link } from "@tanstack/react-router";
import { Panel } from "../../shared/layout/panel.tsx";
import { useLive } from "../live/live.ts";
import { RelayPauseButton, RelayPausedBadge } from "../pauses/relay-pause.tsx";

/** The connected relays of a contributor: what each does, and a way to pause one alone. */
export function ConnectedRelays({ contributorId }: { readonly contributorId: string }) {
  const relays = useLive((live) => live.fleet?.relays);
  const theirs = relays?.filter((relay) => relay.contributor_id === contributorId) ?? [];
  if (theirs.length === 0) return undefined;
  return (
    <Panel id="relays" title="Relays connected now" tally={String(theirs.length)}>
      <ul className="plain-list">
        {theirs.map((relay) => (
          <li key={relay.connection_id}>
            <div className="line">
              <p className="issue">
                <b>
                  <bdi>{relay.session ?? "a relay without a name"}</bdi>
                </b>{" "}
                <span className="soft">
                  {relay.current_task === undefined ? (
                    relay.idle_reason === undefined ? (
                      "idle"
                    ) : (
                      `idle: ${describeUnavailable(relay.idle_reason).label}`
                    )
                  ) : (
                    <Link to="/tasks/$id" params={{ id: relay.current_task } as never}>
                      at work
                    </Link>
                  )}
                </span>{" "}
                <RelayPausedBadge relay={relay} />
              </p>
              <RelayPauseButton relay={relay} size="compact-sm" />
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
