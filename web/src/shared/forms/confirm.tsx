import { Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import type { ReactNode } from "react";

export interface Question {
  readonly title: string;
  /** What follows from a yes. */
  readonly consequences: ReactNode;
  /** The words on the button that does it. */
  readonly yes: string;
  readonly no?: string;
  readonly dangerous?: boolean;
  readonly act: () => void;
}

/** Asks before something that cannot be undone, or that others feel. */
export function openConfirm({ title, consequences, yes, no = "Cancel", dangerous = false, act }: Question): void {
  modals.openConfirmModal({
    title,
    children: (
      <Text component="div" size="sm">
        {consequences}
      </Text>
    ),
    labels: { confirm: yes, cancel: no },
    confirmProps: { ...(dangerous ? { color: "red" } : {}), "data-autofocus": dangerous ? undefined : true },
    cancelProps: { "data-autofocus": dangerous ? true : undefined },
    onConfirm: act,
  });
}
