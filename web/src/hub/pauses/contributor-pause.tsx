import { Button } from "@mantine/core";
import { contributors } from "@nest/protocol";
import { call } from "../../shared/call/call.ts";
import { useServerNow } from "../../shared/call/server-time.ts";
import { dateAndTime } from "../../shared/format/format.ts";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { Panel } from "../../shared/layout/panel.tsx";
import { attempt, showToast } from "../../shared/toast/toast.tsx";
import { askToPause } from "./ask-to-pause.ts";
import { endPause, reread } from "./pauses.ts";

/** Whether a contributor is paused, by whom and why; an admin begins and ends it here, and ends a pause after failures. */
export function PausePanel({ one }: { readonly one: contributors.ContributorRow }) {
  const now = useServerNow();
  const scope = { kind: "contributor", contributor_id: one.contributor_id } as const;
  const target = { scope, name: one.github_username };
  const failed = one.paused_until !== undefined && Date.parse(one.paused_until) > now ? one.paused_until : undefined;
  return (
    <Panel id="pause" title="Pause">
      <div className="pad stack">
        <PauseWords one={one} />
        {failed === undefined ? undefined : (
          <p>Several of their tasks failed quickly, one after the other: no work until {dateAndTime(failed)}.</p>
        )}
        <div className="card-acts">
          {one.pause === undefined ? (
            <Button variant="default" onClick={() => askToPause(target)}>
              Pause…
            </Button>
          ) : (
            <Button variant="default" onClick={() => attempt(() => endPause(target))}>
              End the pause
            </Button>
          )}
          {failed === undefined ? undefined : (
            <Button variant="default" onClick={() => askToEndFailurePause(one)}>
              Give work again…
            </Button>
          )}
        </div>
      </div>
    </Panel>
  );
}

function askToEndFailurePause({ contributor_id: id, github_username: login }: contributors.ContributorRow): void {
  openConfirm({
    title: `Give ${login} work again?`,
    consequences: (
      <p>
        The pause after failures ends now, their relays are told, and one that waits gets work at once. Three quick
        failures in a row pause them again. This cannot be undone.
      </p>
    ),
    yes: "Give work again",
    act: async () => {
      await call(contributors.endFailurePause, { params: { id } });
      await reread();
      showToast(`${login} is given work again.`);
    },
  });
}

function PauseWords({ one }: { readonly one: contributors.ContributorRow }) {
  const { pause } = one;
  if (pause === undefined)
    return (
      <p className="soft small">
        A pause gives <bdi>{one.github_username}</bdi> no work for a while. What is under way goes on, nothing is
        counted, and their relays are told why.
      </p>
    );
  const { note, by, until } = pause;
  return (
    <p>
      Paused by <bdi>{by}</bdi> {until === undefined ? "until it is ended" : `until ${dateAndTime(until)}`}
      {note === "" ? undefined : (
        <>
          : <bdi>{note}</bdi>
        </>
      )}
    </p>
  );
}
