import { differenceOf } from "./difference.ts";

/** How two values differ, line by line: what was, struck out, and what is now. */
export function ValueDiff({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  const lines = differenceOf(before, after);
  if (lines.length === 0) return <p className="soft">unchanged</p>;
  return (
    <ul className="diff">
      {lines.map(({ at, before: old, after: now }) => (
        <li key={`${at}\n${old}\n${now}`}>
          {at === "" ? undefined : <span className="soft">{at}: </span>}
          {old === undefined ? undefined : (
            <del>
              <bdi>{old}</bdi>
            </del>
          )}
          {old !== undefined && now !== undefined ? <span aria-hidden="true"> → </span> : undefined}
          {now === undefined ? undefined : (
            <ins>
              <bdi>{now}</bdi>
            </ins>
          )}
        </li>
      ))}
    </ul>
  );
}
