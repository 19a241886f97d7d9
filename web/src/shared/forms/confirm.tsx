import { Button } from "@mantine/core";
import { modals } from "@mantine/modals";
import { type ReactNode, useState } from "react";
import { LoadFailed } from "../states/states.tsx";

export interface Question {
  readonly title: string;
  /** What follows from a yes. */
  readonly consequences: ReactNode;
  /** The words on the button that does it. */
  readonly yes: string;
  readonly no?: string;
  readonly dangerous?: boolean;
  /** Done after a yes; the dialog stays until it is done, and says so when it could not be. */
  readonly act: () => Promise<unknown> | undefined;
  /** What a no does, however it was said. */
  readonly otherwise?: () => void;
}

/** Asks before something that cannot be undone, or that others feel. */
export function openConfirm(question: Question): void {
  let isDone = false;
  const id = modals.open({
    title: question.title,
    onClose: () => {
      if (!isDone) question.otherwise?.();
    },
    children: (
      <Confirm
        {...question}
        close={() => modals.close(id)}
        done={() => {
          isDone = true;
          modals.close(id);
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

/** Something that a dialog does: whether it is under way, and what went wrong the last time. Not begun twice at once. */
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
