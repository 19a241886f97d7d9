import { TextInput } from "@mantine/core";

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/;

/** Why an agent, a mode or a channel cannot have this name; undefined where it can. Pure. */
export function faultOfName(name: string, taken: readonly string[], what: string): string | undefined {
  if (taken.includes(name)) return `There is ${what === "agent" ? "an" : "a"} ${what} of this name.`;
  return NAME.test(name) ? undefined : "Only letters, digits, - and _, beginning with a letter or digit.";
}

export interface NameFieldProps {
  readonly name: string;
  readonly fault: string | undefined;
  readonly change: (name: string) => void;
}

/** The name of a new agent, mode or channel. */
export function NameField({ name, fault, change }: NameFieldProps) {
  return (
    <TextInput
      data-autofocus
      label="Name"
      description="Letters, digits, - and _."
      maxLength={50}
      value={name}
      error={name === "" ? undefined : fault}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
