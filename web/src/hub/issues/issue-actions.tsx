import { Button } from "@mantine/core";
import type { contribute } from "@nest/protocol";
import { queries } from "../../shared/call/queries.ts";
import { attempt } from "../../shared/toast/toast.tsx";
import { askToLift, liftableReason, pinIssue, unholdIssue, unpinIssue } from "../operations/queue-actions.ts";
import { askToHold } from "./ask-to-hold.ts";

export interface IssueActionsProps {
  readonly item: Pick<contribute.QueueItem, "key" | "held" | "held_reason" | "ordered" | "withheld">;
}

/** What an admin can do with an issue: hold it, let it go, offer it again, pin it to the front of the queue or unpin it. */
export function IssueActions({ item }: IssueActionsProps) {
  const { key, held, ordered, withheld } = item;
  const waits = withheld?.reason === "operator_hold" ? undefined : liftableReason(withheld?.reason);
  const reread = () => Promise.all(["issue", "task"].map((name) => queries.invalidateQueries({ queryKey: [name] })));
  const act = (what: () => Promise<void>) => () =>
    attempt(async () => {
      await what();
      await reread();
    });
  return (
    <>
      {waits === undefined ? undefined : (
        <Button variant="default" onClick={() => askToLift(key, waits, reread)}>
          {waits === "quarantined" ? "Lift the quarantine…" : "Offer again"}
        </Button>
      )}
      {ordered === true ? (
        <Button variant="default" onClick={act(() => unpinIssue(key))}>
          Unpin
        </Button>
      ) : (
        <Button variant="default" onClick={act(() => pinIssue(key))}>
          Pin to the front
        </Button>
      )}
      {held === true ? (
        <Button variant="default" onClick={act(() => unholdIssue(item))}>
          Let go
        </Button>
      ) : (
        <Button variant="default" onClick={() => askToHold(key)}>
          Hold issue…
        </Button>
      )}
    </>
  );
}
