import { Button, type ButtonProps, Tooltip } from "@mantine/core";
import type { ReactNode } from "react";
import { type Right, useRefusal } from "./session.ts";

export interface ActButtonProps extends Pick<ButtonProps, "variant" | "color" | "size" | "leftSection" | "loading"> {
  readonly right: Right;
  /** Why it cannot be done now, for whoever may do it otherwise. */
  readonly because?: string | undefined;
  readonly onClick: () => void;
  readonly label?: string;
  readonly children: ReactNode;
}

/** A button for something that not everybody may do. Where it cannot be done it says why, also to keyboard and screen reader. */
export function ActButton({ right, because, onClick, label, children, ...look }: ActButtonProps) {
  const refusal = useRefusal(right) ?? because;
  const button = (
    <Button
      variant="default"
      {...look}
      aria-disabled={refusal !== undefined}
      data-disabled={refusal !== undefined}
      {...(label === undefined ? {} : { "aria-label": label })}
      onClick={(event) => {
        if (refusal === undefined) onClick();
        else event.preventDefault();
      }}
    >
      {children}
    </Button>
  );
  return refusal === undefined ? (
    button
  ) : (
    <Tooltip label={refusal} multiline maw={280} events={{ hover: true, focus: true, touch: true }}>
      {button}
    </Tooltip>
  );
}
