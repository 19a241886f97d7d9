import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { LoadFailed } from "../states/states.tsx";
import { closeDialog, openDialog } from "./dialogs.tsx";

export interface Question {
  readonly title: string;
  /** What the action will do. */
  readonly consequences: ReactNode;
  /** The label of the button that starts the action. */
  readonly yes: string;
  readonly no?: string;
  readonly dangerous?: boolean;
  /** The action. The dialog stays open until it is done, and shows the error if it fails. */
  readonly act: () => Promise<unknown> | undefined;
  /** Called when the dialog is closed without the action, in whatever way. */
  readonly otherwise?: () => void;
}

/** Asks before an action that cannot be undone or that affects other people. */
export function openConfirm(question: Question): void {
  let isDone = false;
  const id = openDialog({
    title: question.title,
    onClose: () => {
      if (!isDone) question.otherwise?.();
    },
    children: (
      <Confirm
        {...question}
        close={() => closeDialog(id)}
        done={() => {
          isDone = true;
          closeDialog(id);
        }}
      />
    ),
  });
}

function Confirm({
  consequences,
  yes,
  no = "Cancel",
  dangerous = false,
  act,
  close,
  done,
}: Question & { readonly close: () => void; readonly done: () => void }) {
  const { isPending, problem, run } = useSubmit(async () => {
    await act();
    done();
  });
  return (
    <>
      <div className="dialog-body">{consequences}</div>
      {problem === undefined ? undefined : <LoadFailed problem={problem} />}
      <div className="dialog-end">
        <Button variant="default" onClick={close} data-autofocus={dangerous || undefined}>
          {no}
        </Button>
        <Button
          onClick={run}
          loading={isPending}
          data-autofocus={dangerous ? undefined : true}
          {...(dangerous ? { color: "red" } : {})}
        >
          {yes}
        </Button>
      </div>
    </>
  );
}

/** Runs a dialog's action once at a time: whether it is running, and the error of the last run. */
export function useSubmit(act: () => Promise<unknown>) {
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const run = () => {
    if (isPending) return;
    setPending(true);
    setProblem(undefined);
    act().then(
      () => setPending(false),
      (thrown: unknown) => {
        setPending(false);
        setProblem(thrown);
      },
    );
  };
  return { isPending, problem, run };
}
