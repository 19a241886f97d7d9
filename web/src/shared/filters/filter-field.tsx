import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";

const TYPING_MS = 300;

export interface FilterFieldProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly type?: "text" | "date";
  readonly value: string | undefined;
  /** Called when typing pauses; undefined for an empty field. */
  readonly change: (text: string | undefined) => void;
}

/** One field of a list's filters. The address has its value. */
export function FilterField({ label, placeholder = "", type = "text", value = "", change }: FilterFieldProps) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  // The value was changed elsewhere: by a saved view, or by Back.
  if (value !== known) {
    setKnown(value);
    if (value !== typed.trim()) setTyped(value);
  }
  const changeSoon = useDebouncedCallback((text: string) => change(text.trim() || undefined), TYPING_MS);
  return (
    <TextInput
      size="sm"
      className="filter-field"
      label={label}
      placeholder={placeholder}
      type={type}
      autoComplete="off"
      maxLength={100}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        changeSoon(event.currentTarget.value);
      }}
    />
  );
}
