import { NumberInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { count, plural } from "../../shared/format/format.ts";
import { closeDialog, openDialog } from "../../shared/forms/dialogs.tsx";
import { DialogForm } from "../../shared/forms/form-dialog.tsx";
import { queueHead } from "./pins.ts";
import { moveIssue } from "./queue-actions.ts";
import { LAST_PLACE, orderAfterMove, placeFault } from "./queue-order.ts";

/** Asks for the new number of an issue, says how many issues that pins, and moves it. */
export function openMoveForm(key: string): void {
  const id = openDialog({
    title: `Move ${key}`,
    children: <MoveForm issue={key} close={() => closeDialog(id)} />,
  });
}

function MoveForm({ issue, close }: { readonly issue: string; readonly close: () => void }) {
  const [place, setPlace] = useState<number | string>(1);
  const { data } = useQuery({
    queryKey: ["queue", "order", "head"],
    queryFn: queueHead,
    staleTime: 0,
  });
  const most = Math.min(LAST_PLACE, data?.total ?? LAST_PLACE);
  const fault = placeFault(place, most);
  const pinned =
    data === undefined || fault !== undefined
      ? undefined
      : orderAfterMove(data.head, data.order, issue, Number(place) - 1).length;
  return (
    <DialogForm
      close={close}
      yes="Move"
      isReady={fault === undefined}
      submit={() => moveIssue(issue, Number(place) - 1, data?.order)}
    >
      <NumberInput
        data-autofocus
        label="To number"
        description={`From 1 to ${count(most)}. The issues before it are pinned as well, so that it keeps that number.`}
        min={1}
        clampBehavior="none"
        allowDecimal={false}
        allowNegative={false}
        value={place}
        error={fault}
        onChange={setPlace}
      />
      <p className="effect" role="status">
        {pinned === undefined || data === undefined
          ? ""
          : `${plural(pinned, "issue")} will be pinned to the front, ${count(data.order.length)} ${data.order.length === 1 ? "is" : "are"} now.`}
      </p>
    </DialogForm>
  );
}
