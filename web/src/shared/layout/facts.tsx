import type { ReactNode } from "react";

/** A list of facts: each name with its value. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="pairs">{children}</dl>;
}

/** One fact. What comes from strangers keeps its own direction of writing. */
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
