import type { ReactNode } from "react";
import { ValueDiff } from "./value-diff.tsx";

export interface ReviewedChange {
  readonly key: string;
  readonly name: ReactNode;
  readonly before: unknown;
  readonly after: unknown;
}

/** What changes from what to what. */
export function ReviewedChanges({ changes }: { readonly changes: readonly ReviewedChange[] }) {
  return (
    <dl className="review">
      {changes.map(({ key, name, before, after }) => (
        <div key={key}>
          <dt>{name}</dt>
          <dd>
            <ValueDiff before={before} after={after} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
