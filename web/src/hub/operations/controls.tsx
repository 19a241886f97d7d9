import { Button, Switch } from "@mantine/core";
import { contribute, governor } from "@nest/protocol";
import { IconPlayerPause, IconRefresh, IconSpeakerphone } from "@tabler/icons-react";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { plural } from "../../shared/format/format.ts";
import { useOptimistic } from "../../shared/forms/use-optimistic.ts";
import { withPart } from "../../shared/lazy/lazy-part.ts";
import { useIsAdmin } from "../../shared/session/session.ts";
import { showError, showToast } from "../../shared/toast/toast.tsx";
import { useLive } from "../live/live.ts";
import { askToPause } from "../pauses/ask-to-pause.ts";

/** Reading every repository of a large organisation can take minutes. */
const READ_MS = 120_000;

/** The controls of the whole hub: suspend, announce, read the code host now. */
export function Controls() {
  const isAdmin = useIsAdmin();
  const status = useLive((live) => live.status);
  const hold = useOptimistic(status?.suspended ?? false, (value: boolean) =>
    call(governor.changeGovernor, { body: { contribute_suspended: value } }),
  );
  if (status === undefined) return undefined;
  const { announcement = "" } = status;
  const suspended = hold.value;
  return (
    <>
      {isAdmin ? (
        <div className="controls">
          <Switch
            checked={!suspended}
            aria-busy={hold.isPending}
            data-pending={hold.isPending || undefined}
            onChange={(event) => {
              if (!hold.isPending) void suspend(!event.currentTarget.checked, hold.choose);
            }}
            label="Hand out work"
            color="nest"
          />
          {suspended ? (
            <span className="mark" data-tone="warn">
              suspended
            </span>
          ) : undefined}
          <Button
            variant="default"
            leftSection={<IconPlayerPause size={16} />}
            onClick={() => askToPause({ scope: { kind: "everything" }, name: "everybody" })}
          >
            Pause…
          </Button>
          <Button
            variant="default"
            leftSection={<IconSpeakerphone size={16} />}
            onClick={() => askToAnnounce(announcement)}
          >
            Announce
          </Button>
          <ReadNow />
        </div>
      ) : undefined}
      {suspended || status.pause === undefined ? undefined : (
        <p className="notice" role="status">
          Everybody is paused
          {status.pause.by === undefined ? undefined : (
            <>
              {" "}
              by <bdi>{status.pause.by}</bdi>
            </>
          )}
          {status.pause.note === "" ? "" : ": "}
          <bdi>{status.pause.note}</bdi>. Relays stay connected and idle; tasks under way go on.
        </p>
      )}
      {suspended ? (
        <p className="notice" role="status">
          Handing out is suspended. Relays stay connected and idle; tasks under way go on.
        </p>
      ) : undefined}
      {announcement === "" ? undefined : (
        <p className="notice">
          Announced: <bdi>{announcement}</bdi>
        </p>
      )}
    </>
  );
}

/** Opens the form for the announcement; it is loaded when it is first needed. */
function askToAnnounce(announcement: string): void {
  withPart(
    () => import("./announce-form.tsx"),
    ({ openAnnounceForm }) => openAnnounceForm(announcement),
  );
}

/** Suspends or resumes handing out; the toast offers to undo it. */
async function suspend(suspended: boolean, put: (suspended: boolean) => Promise<void>): Promise<void> {
  try {
    await put(suspended);
    showToast(suspended ? "Suspended: no relay is given work now." : "Work is handed out again.", () =>
      put(!suspended),
    );
  } catch (thrown) {
    showError(thrown);
  }
}

function ReadNow() {
  const [busy, setBusy] = useState(false);
  const read = async () => {
    setBusy(true);
    try {
      const { value } = await call(contribute.refreshQueue, { deadlineMs: READ_MS });
      const failed = value.failed.length === 0 ? "" : `; ${value.failed.join(", ")} could not be read`;
      showToast(
        `Read ${plural(value.repositories, "repository", "repositories")}: ${plural(value.issues, "issue")}${failed}.`,
      );
    } catch (thrown) {
      showError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button variant="default" loading={busy} leftSection={<IconRefresh size={16} />} onClick={() => void read()}>
      Read code host
    </Button>
  );
}
