import { nestWork } from "@nest/protocol";
import { IconRefresh } from "@tabler/icons-react";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { plural } from "../../shared/format/format.ts";
import { showError, showToast } from "../../shared/toast/toast.tsx";
import { ActButton } from "../session/act-button.tsx";
import { useRefusal, useVisitor } from "../session/session.ts";

/** Reading many repositories of a slow code host takes its time. */
const READ_MS = 180_000;

/** Has the repositories read and the queue judged at once. */
export function ReadNow() {
  const [isReading, setReading] = useState(false);
  const read = async () => {
    setReading(true);
    try {
      const { governor } = (await call(nestWork.evaluate, { deadlineMs: READ_MS })).value;
      const failed = governor.repos.filter(({ error }) => error !== undefined).map(({ repo }) => repo);
      const found = `${plural(governor.actionable, "issue")} actionable, ${governor.held_back} held back`;
      if (failed.length === 0) showToast(`Read: ${found}.`);
      else showToast(`${failed.join(", ")} could not be read; the queue is an old one there: ${found}.`);
      await queries.invalidateQueries({ queryKey: ["queue"] });
    } catch (thrown) {
      showError(thrown);
    } finally {
      setReading(false);
    }
  };
  const refusal = useRefusal("operate");
  const isKnown = useVisitor() !== undefined;
  return (
    <div className="controls">
      {isKnown && refusal !== undefined ? <span className="soft small">{refusal}</span> : undefined}
      <ActButton
        right="operate"
        size="compact-md"
        loading={isReading}
        leftSection={<IconRefresh size={16} />}
        onClick={() => void read()}
      >
        Read now
      </ActButton>
    </div>
  );
}
