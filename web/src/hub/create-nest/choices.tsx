import type { ReactNode } from "react";

export interface Choice<Value> {
  readonly value: Value;
  readonly name: string;
  readonly means: ReactNode;
  /** Why it cannot be chosen. */
  readonly closed?: string | undefined;
}

export interface ChoicesProps<Value> {
  readonly legend: string;
  readonly name: string;
  readonly choices: readonly Choice<Value>[];
  readonly chosen: Value | undefined;
  readonly error?: string | undefined;
  readonly choose: (value: Value) => void;
}

/** One of a few things, each with what it means. */
export function Choices<Value extends string | number>({
  legend,
  name,
  choices,
  chosen,
  error,
  choose,
}: ChoicesProps<Value>) {
  return (
    <fieldset
      className="choices"
      data-invalid={error !== undefined || undefined}
      aria-describedby={error === undefined ? undefined : `${name}-error`}
    >
      <legend>{legend}</legend>
      {choices.map(({ value, name: title, means, closed }) => (
        <label key={value} data-chosen={value === chosen || undefined} data-closed={closed !== undefined || undefined}>
          <input
            type="radio"
            name={name}
            checked={value === chosen}
            disabled={closed !== undefined}
            onChange={() => choose(value)}
          />
          <span>
            <b>{title}</b>
            <span className="soft small">{closed ?? means}</span>
          </span>
        </label>
      ))}
      {error === undefined ? undefined : (
        <p className="choice-error" id={`${name}-error`}>
          {error}
        </p>
      )}
    </fieldset>
  );
}
