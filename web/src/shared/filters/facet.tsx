import { Select } from "@mantine/core";
import { useState } from "react";
import { count } from "../format/format.ts";

/** A value of a facet, and how many have it, where that is known. */
export interface FacetValue {
  readonly name: string;
  readonly count?: number | undefined;
}

export interface FacetProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly chosen: string | undefined;
  /** Undefined until the server has said so. */
  readonly values: readonly FacetValue[] | undefined;
  readonly choose: (value: string | undefined) => void;
  /** What a value is called; its name where that says it. */
  readonly wordsOf?: (name: string) => string;
  /** Whether another value can be typed: there may be more than those that are offered. */
  readonly takesOther?: boolean;
}

const itself = (name: string) => name;

/** One filter of a list whose values are offered, each with how many have it. */
export function Facet(props: FacetProps) {
  const { label, placeholder = "Any", chosen, values = [], choose, wordsOf = itself, takesOther = false } = props;
  const [typed, setTyped] = useState("");
  const known = values.map(({ name, count: many }) => ({
    value: name,
    label: many === undefined ? wordsOf(name) : `${wordsOf(name)} (${count(many)})`,
  }));
  const other = typed.trim();
  const isKnown = (name: string) => known.some((one) => one.value === name || one.label === name);
  // What is chosen is there also where nothing has it.
  const own = chosen === undefined || known.some(({ value }) => value === chosen) ? [] : [chosen];
  const added = takesOther && other !== "" && other !== chosen && !isKnown(other) ? [...own, other] : own;
  return (
    <Select
      size="sm"
      className="filter-field"
      label={label}
      placeholder={placeholder}
      searchable
      clearable
      data={[...added.map((name) => ({ value: name, label: wordsOf(name) })), ...known]}
      value={chosen ?? null}
      onChange={(value) => choose(value ?? undefined)}
      onSearchChange={setTyped}
      maxLength={200}
    />
  );
}
