import { Button } from "@mantine/core";
import type { contribute } from "@nest/protocol";
import { queries } from "../../shared/call/queries.ts";
import { attempt } from "../../shared/toast/toast.tsx";
import { liftableReason, liftIssue, prioritiseIssue, unholdIssue, unmoveIssue } from "../operations/queue-actions.ts";
import { askToHold } from "./ask-to-hold.ts";

export interface IssueActionsProps {
  readonly item: Pick<contribute.QueueItem, "key" | "held" | "held_reason" | "ordered" | "withheld">;
}

/** What an admin can do with an issue: hold it, let it go, offer it again, hand it out first or in its turn. */
export function IssueActions({ item }: IssueActionsProps) {
  const { key, held, ordered, withheld } = item;
  const waits = withheld?.reason === "operator_hold" ? undefined : liftableReason(withheld?.reason);
  const act = (what: () => Promise<void>) => () =>
    attempt(async () => {
      await what();
      await Promise.all(["issue", "task"].map((name) => queries.invalidateQueries({ queryKey: [name] })));
    });
  return (
    <>
      {waits === undefined ? undefined : (
        <Button variant="default" onClick={act(() => liftIssue(key, waits))}>
          {waits === "quarantined" ? "Lift the quarantine" : "Offer again"}
        </Button>
      )}
      {ordered === true ? (
        <Button variant="default" onClick={act(() => unmoveIssue(key))}>
          Let it wait for its turn
        </Button>
      ) : (
        <Button variant="default" onClick={act(() => prioritiseIssue(key))}>
          Hand out first
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
