import { NativeSelect, NumberInput, PasswordInput, Switch, TextInput } from "@mantine/core";
import type { nestConfig } from "@nest/protocol";
import { lazy, type ReactNode, Suspense } from "react";
import { LinesField } from "../../shared/forms/lines-field.tsx";
import type { Field } from "./fields.ts";
import { hiddenWords, isBeyondReach, runningWords, sourceWords } from "./provenance-words.ts";
import { SECRET, type Value } from "./values.ts";

// Only channels have these: a nest without any does not wait for them.
const ChecksInput = lazy(async () => ({ default: (await import("./checks-input.tsx")).ChecksInput }));

export interface FieldInputProps {
  readonly field: Field;
  readonly value: Value;
  readonly fault: string | undefined;
  readonly row: nestConfig.ProvenanceRow | undefined;
  readonly isReadOnly: boolean;
  readonly change: (value: Value) => void;
}

/** One value of the configuration: its input, and below it where the value comes from. */
export function FieldInput(props: FieldInputProps) {
  return (
    <div className="setting">
      <Input {...props} />
      {props.row === undefined ? undefined : <ProvenanceNote row={props.row} />}
    </div>
  );
}

function Input({ field, value, fault, row, isReadOnly, change }: FieldInputProps) {
  const { label, about } = field;
  const disabled = isReadOnly || (row !== undefined && isBeyondReach(row));
  const common = { label, disabled, error: fault, ...(about === undefined ? {} : { description: about }) };
  const text = typeof value === "string" ? value : "";
  switch (field.kind) {
    case "switch":
      return <Switch {...common} checked={value === true} onChange={(event) => change(event.currentTarget.checked)} />;
    case "number":
      return (
        <NumberInput
          {...common}
          min={field.least}
          max={field.most}
          allowDecimal={field.key.endsWith("usd_per_day")}
          value={typeof value === "number" ? value : ""}
          onChange={(typed) => change(typeof typed === "number" ? typed : null)}
        />
      );
    case "lines":
      return (
        <LinesField
          {...common}
          description={about ?? "One a line."}
          lines={Array.isArray(value) ? (value as readonly string[]) : []}
          change={change}
        />
      );
    case "choice":
      return (
        <NativeSelect
          {...common}
          data={[{ value: "", label: "By default" }, ...field.choices]}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
        />
      );
    case "yes-no":
      return (
        <NativeSelect
          {...common}
          data={[
            { value: "", label: "By default" },
            { value: "true", label: "Yes" },
            { value: "false", label: "No" },
          ]}
          value={value === null ? "" : String(value)}
          onChange={({ currentTarget: { value: chosen } }) => change(chosen === "" ? null : chosen === "true")}
        />
      );
    case "checks":
      return (
        <Suspense>
          <ChecksInput
            {...common}
            choices={field.choices}
            chosen={Array.isArray(value) ? (value as readonly string[]) : []}
            change={change}
          />
        </Suspense>
      );
    case "secret":
      return (
        <PasswordInput
          {...common}
          autoComplete="off"
          placeholder={text === SECRET ? "It is set, and is not shown" : ""}
          value={text === SECRET ? "" : text}
          onChange={(event) => change(event.currentTarget.value === "" ? SECRET : event.currentTarget.value)}
        />
      );
    default:
      return (
        <TextInput {...common} maxLength={8000} value={text} onChange={(event) => change(event.currentTarget.value)} />
      );
  }
}

function ProvenanceNote({ row }: { readonly row: nestConfig.ProvenanceRow }) {
  const sentences: ReactNode[] = [sourceWords(row), ...hiddenWords(row), runningWords(row)].filter(
    (sentence) => sentence !== undefined,
  );
  if (sentences.length === 0) return undefined;
  return (
    <p className="provenance">
      <bdi>{sentences.join(" ")}</bdi>
    </p>
  );
}
