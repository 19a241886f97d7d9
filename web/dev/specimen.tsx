import type { ReactNode } from "react";

/** A shared part and its states, by name. */
export interface ShownPart {
  readonly name: string;
  readonly states: Readonly<Record<string, ReactNode>>;
}

/** A part in each of its states, with the room of a desktop and with that of a phone. */
export function Specimen({ part: { name, states } }: { readonly part: ShownPart }) {
  return (
    <section className="specimen" aria-label={name}>
      <h2>{name}</h2>
      {Object.entries(states).map(([state, shown]) => (
        <div key={state} className="specimen-state">
          <h3>{state}</h3>
          <div className="specimen-wide">{shown}</div>
          <div className="specimen-narrow">{shown}</div>
        </div>
      ))}
    </section>
  );
}
