import "./pauses.css";
import { Button } from "@mantine/core";
import type { pauses } from "@nest/protocol";
import { Link } from "@tanstack/react-router";
import { useServerNow } from "../../shared/call/server-time.ts";
import { dateAndTime } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { useIsAdmin } from "../../shared/session/session.ts";
import { attempt } from "../../shared/toast/toast.tsx";
import { endPause, nameOf, usePauses } from "./pauses.ts";

/** Every pause that holds, with its end: one place to see and end them. Nothing while nothing is paused. */
export function PausesPanel() {
  const now = useServerNow();
  const isAdmin = useIsAdmin();
  const all = usePauses(isAdmin).filter(({ until }) => until === undefined || Date.parse(until) > now);
  if (all.length === 0) return undefined;
  return (
    <Panel id="pauses" title="Paused" tally={String(all.length)}>
      <ul className="plain-list">
        {all.map((pause) => (
          <li key={JSON.stringify(pause.scope)}>
            <PauseRow pause={pause} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function PauseRow({ pause }: { readonly pause: pauses.Pause }) {
  const { scope, github_username: login, by, note, until } = pause;
  const name = nameOf(pause);
  return (
    <div className="line">
      <p className="issue">
        <b>
          {login === undefined ? (
            <bdi>{name}</bdi>
          ) : (
            <Link to="/contributors/$id" params={{ id: login } as never}>
              <bdi>{name}</bdi>
            </Link>
          )}
        </b>{" "}
        by <bdi>{by}</bdi> {until === undefined ? "until it is ended" : `until ${dateAndTime(until)}`}
        {note === "" ? undefined : (
          <>
            : <bdi>{note}</bdi>
          </>
        )}
      </p>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`End the pause of ${name}`}
        onClick={() => attempt(() => endPause({ scope, name }))}
      >
        End
      </Button>
    </div>
  );
}
