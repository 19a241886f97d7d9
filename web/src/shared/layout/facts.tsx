import type { ReactNode } from "react";

/** A list of facts: each name with its value. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="pairs">{children}</dl>;
}

/** One fact. `bdi` keeps text of strangers from changing the direction of the text around it. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <bdi>{children}</bdi>
      </dd>
    </div>
  );
}
