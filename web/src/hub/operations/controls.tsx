import { Button, Modal, Switch, Textarea } from "@mantine/core";
import { contribute, governor } from "@nest/protocol";
import { IconRefresh, IconSpeakerphone } from "@tabler/icons-react";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { plural } from "../../shared/format/format.ts";
import { useIsAdmin } from "../../shared/session/session.ts";
import { attempt, showError, showToast } from "../../shared/toast/toast.tsx";
import { useLive } from "../live/live.ts";

/** Reading every repository of a large organisation takes its time. */
const READ_MS = 120_000;

/** The levers that hold for the whole hub: suspend, announce, read the code host now. */
export function Controls() {
  const isAdmin = useIsAdmin();
  const status = useLive((live) => live.status);
  if (status === undefined) return undefined;
  const { suspended, announcement = "" } = status;
  return (
    <>
      {isAdmin ? (
        <div className="controls">
          <Switch
            checked={!suspended}
            onChange={(event) => attempt(() => suspend(!event.currentTarget.checked))}
            label={suspended ? "Suspended" : "Handing out work"}
            aria-label="Hand out work"
            color="nest"
          />
          <Announce announcement={announcement} />
          <ReadNow />
        </div>
      ) : undefined}
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

/** Stops or starts handing out, at once; can be undone from the message that says so. */
async function suspend(suspended: boolean): Promise<void> {
  const put = (value: boolean) => call(governor.changeGovernor, { body: { contribute_suspended: value } });
  await put(suspended);
  showToast(suspended ? "Suspended: no relay is given work now." : "Work is handed out again.", () => put(!suspended));
}

function Announce({ announcement }: { readonly announcement: string }) {
  const [text, setText] = useState<string>();
  const announce = (words: string) =>
    attempt(
      () => call(governor.changeGovernor, { body: { contribute_announcement: words } }),
      words === "" ? "The announcement is taken back." : "Announced to every relay and on the public page.",
      () => setText(undefined),
    );
  return (
    <>
      <Button variant="default" leftSection={<IconSpeakerphone size={16} />} onClick={() => setText(announcement)}>
        Announce
      </Button>
      <Modal opened={text !== undefined} onClose={() => setText(undefined)} title="Announce to everybody">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            announce((text ?? "").trim());
          }}
        >
          <Textarea
            data-autofocus
            label="What relays and visitors are told"
            description="Relays get it at once and when they connect; the public page shows it. Empty takes it back."
            maxLength={500}
            autosize
            minRows={3}
            value={text ?? ""}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <div className="dialog-end">
            <Button variant="default" onClick={() => setText(undefined)}>
              Cancel
            </Button>
            <Button type="submit" disabled={(text ?? "").trim() === announcement}>
              {(text ?? "").trim() === "" && announcement !== "" ? "Take it back" : "Announce"}
            </Button>
          </div>
        </form>
      </Modal>
    </>
  );
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
