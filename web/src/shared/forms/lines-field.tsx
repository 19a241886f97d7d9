import { Textarea } from "@mantine/core";
import { useState } from "react";
import { isSame } from "../drafts/draft.ts";

export interface LinesFieldProps {
  readonly label: string;
  readonly description: string;
  readonly lines: readonly string[];
  readonly error?: string | undefined;
  readonly change: (lines: string[]) => void;
}

/** Edits a list as text with one entry a line. Blank lines are ignored. */
export function LinesField({ label, description, lines, error, change }: LinesFieldProps) {
  const [text, setText] = useState(lines.join("\n"));
  // The list was changed elsewhere (discard, another admin): show the new one.
  if (!isSame(linesOf(text), lines)) setText(lines.join("\n"));
  return (
    <Textarea
      label={label}
      description={description}
      error={error}
      autosize
      minRows={2}
      maxRows={14}
      spellCheck={false}
      className="lines"
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        change(linesOf(event.currentTarget.value));
      }}
    />
  );
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
