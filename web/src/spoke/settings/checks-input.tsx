import { Checkbox } from "@mantine/core";

export interface ChecksInputProps {
  readonly label: string;
  readonly description?: string;
  readonly error: string | undefined;
  readonly disabled: boolean;
  /** Each in words. */
  readonly choices: Readonly<Record<string, string>>;
  readonly chosen: readonly string[];
  readonly change: (chosen: readonly string[]) => void;
}

/** Any of some choices, in the order of the choices. */
export function ChecksInput({ choices, chosen, change, ...common }: ChecksInputProps) {
  return (
    <Checkbox.Group
      {...common}
      value={[...chosen]}
      onChange={(now) => change(Object.keys(choices).filter((choice) => now.includes(choice)))}
    >
      <div className="checks">
        {Object.entries(choices).map(([choice, words]) => (
          <Checkbox key={choice} value={choice} label={words} disabled={common.disabled} />
        ))}
      </div>
    </Checkbox.Group>
  );
}
