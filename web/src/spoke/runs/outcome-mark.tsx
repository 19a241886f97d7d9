import { outcomeOf } from "./outcome-words.ts";

/** How a run ended, as a coloured word. */
export function OutcomeMark({ outcome }: { readonly outcome: string | undefined }) {
  const { words, tone } = outcomeOf(outcome);
  return (
    <span className="mark outcome" data-tone={tone}>
      {words}
    </span>
  );
}
