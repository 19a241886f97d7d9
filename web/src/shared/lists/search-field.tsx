import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";

const TYPING_MS = 250;

export interface SearchFieldProps {
  readonly label: string;
  readonly placeholder: string;
  /** What is searched for now. */
  readonly value: string;
  /** Called when typing pauses. */
  readonly change: (text: string) => void;
  readonly maxLength?: number;
}

/** The search field of a list. The key `/` focuses the first one of a page. */
export function SearchField({ label, placeholder, value, change, maxLength = 100 }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  // The value was changed elsewhere, by a button or by Back.
  if (value !== known) {
    setKnown(value);
    if (value !== typed.trim()) setTyped(value);
  }
  const changeSoon = useDebouncedCallback((text: string) => change(text.trim()), TYPING_MS);
  return (
    <TextInput
      type="search"
      className="grow"
      placeholder={placeholder}
      aria-label={label}
      leftSection={<IconSearch size={16} />}
      maxLength={maxLength}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        changeSoon(event.currentTarget.value);
      }}
    />
  );
}
