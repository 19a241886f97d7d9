import { Button } from "@mantine/core";
import type { contribute } from "@nest/protocol";
import { useServerNow } from "../../shared/call/server-time.ts";
import { plural, timeLeft } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { useIsAdmin } from "../../shared/session/session.ts";
import { Empty, Loading } from "../../shared/states/states.tsx";
import { attempt } from "../../shared/toast/toast.tsx";
import { useLive } from "../live/live.ts";
import { askToPause } from "../pauses/ask-to-pause.ts";
import { endPause } from "../pauses/pauses.ts";

/** The monitored repositories, and whether each could be read. */
export function RepositoriesPanel() {
  const repositories = useLive((live) => live.status?.repositories);
  return (
    <Panel
      id="repositories"
      title="Repositories"
      tally={repositories === undefined ? undefined : String(repositories.length)}
    >
      {repositories === undefined ? (
        <Loading />
      ) : repositories.length === 0 ? (
        <Empty>No repository is served that everybody may see.</Empty>
      ) : (
        <ul className="plain-list">
          {repositories.map((row) => (
            <li key={row.repo}>
              <Repository row={row} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Repository({ row }: { readonly row: contribute.StatusReply["repositories"][number] }) {
  const isAdmin = useIsAdmin();
  const now = useServerNow();
  const { repo, state, issues, error, pause } = row;
  const target = { scope: { kind: "repository", repo }, name: repo } as const;
  return (
    <>
      <span className="line repository">
        <b>{repo}</b>
        {pause === undefined ? undefined : (
          <span className="mark" data-tone="warn">
            paused{pause.until === undefined ? "" : ` for ${timeLeft(Date.parse(pause.until) - now)}`}
          </span>
        )}
        <span className="state" data-state={state}>
          {state === "ready" ? plural(issues, "open issue") : state === "scanning" ? "being read" : "cannot be read"}
        </span>
        {!isAdmin ? undefined : pause === undefined ? (
          <Button size="compact-sm" variant="default" aria-label={`Pause ${repo}`} onClick={() => askToPause(target)}>
            Pause…
          </Button>
        ) : (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`End the pause of ${repo}`}
            onClick={() => attempt(() => endPause(target))}
          >
            End
          </Button>
        )}
      </span>
      {error === undefined ? undefined : <p className="facts">{error}</p>}
      {pause === undefined || (pause.note === "" && pause.by === undefined) ? undefined : (
        <p className="facts">
          {pause.by === undefined ? undefined : (
            <span>
              by <bdi>{pause.by}</bdi>
            </span>
          )}
          <bdi>{pause.note}</bdi>
        </p>
      )}
    </>
  );
}
