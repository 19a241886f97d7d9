import type { ReactNode } from "react";
import { count } from "../format/format.ts";

/** A few numbers side by side. */
export function Counters({ children }: { readonly children: ReactNode }) {
  return <dl className="counters">{children}</dl>;
}

/** One of them; a dash until it is known. */
export function Counter({ name, value }: { readonly name: string; readonly value: number | string | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value === undefined ? "–" : typeof value === "number" ? count(value) : value}</dd>
    </div>
  );
}
