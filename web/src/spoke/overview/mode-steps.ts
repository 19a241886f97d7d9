import type { nestWork } from "@nest/protocol";

export interface ModeStep {
  readonly name: string;
  /** From which number of actionable issues on it holds. */
  readonly words: string;
  readonly isInForce: boolean;
}

/** The governor's modes from the quietest to the busiest. `idle` holds where no other does, whatever its threshold says. */
export function modeSteps({ mode, modes }: Pick<nestWork.GovernorStatus, "mode" | "modes">): ModeStep[] {
  const rising = modes.filter(({ name }) => name !== "idle").sort((one, other) => one.threshold - other.threshold);
  const idle = modes.length === 0 ? [] : [{ name: "idle", words: "otherwise", isInForce: mode === "idle" }];
  return [
    ...idle,
    ...rising.map(({ name, threshold }) => ({
      name,
      words: `above ${threshold} actionable`,
      isInForce: name === mode,
    })),
  ];
}
