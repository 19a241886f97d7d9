import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useIsAdmin } from "../../shared/session/session.ts";
import { askToRevoke } from "../contributors/revoke.tsx";
import { RelayPauseButton, RelayPausedBadge } from "../pauses/relay-pause.tsx";
import { RelayFacts, type RelayFactsProps } from "./relay-facts.tsx";
import { askToDisconnect, askToRequeue } from "./task-actions.tsx";

/** All facts about one connected relay, and what an admin can do with it. */
export function RelayCard({ relay, task }: RelayFactsProps) {
  const isAdmin = useIsAdmin();
  return (
    <div className="card">
      <RelayPausedBadge relay={relay} />
      {isAdmin ? <RelayActions relay={relay} task={task} /> : undefined}
      {isAdmin && relay.session === undefined ? (
        <p className="soft small">This relay has no session name: it can be paused only with all of its contributor.</p>
      ) : undefined}
      <RelayFacts relay={relay} task={task} />
      <p className="soft small">What a relay declares is shown, never believed: nothing is decided by it.</p>
    </div>
  );
}

function RelayActions({ relay, task }: RelayFactsProps) {
  return (
    <div className="card-acts">
      {task === undefined ? undefined : (
        <Button variant="default" onClick={() => askToRequeue(task)}>
          Take the task back
        </Button>
      )}
      <Button variant="default" component={Link} to="/contributors/$id" params={{ id: relay.github_username } as never}>
        Open contributor
      </Button>
      <RelayPauseButton relay={relay} />
      <Button variant="default" onClick={() => askToDisconnect(relay)}>
        Disconnect
      </Button>
      <Button
        variant="light"
        color="red"
        onClick={() => askToRevoke({ id: relay.contributor_id, login: relay.github_username })}
      >
        Revoke access…
      </Button>
    </div>
  );
}
