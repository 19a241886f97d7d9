import { differenceOf, type Line, type Names } from "./difference.ts";

export interface ValueDiffProps {
  readonly before: unknown;
  readonly after: unknown;
  readonly names?: Names;
}

/** Shows how two values differ, one line for each field: the old value struck out, then the new one. */
export function ValueDiff({ before, after, names = {} }: ValueDiffProps) {
  const lines = differenceOf(before, after, names);
  if (lines.length === 0) return <p className="soft">unchanged</p>;
  return (
    <ul className="diff">
      {[...Map.groupBy(lines, ({ at }) => at)].map(([at, here]) => (
        <li key={at}>
          {at === "" ? undefined : <span className="soft">{at}: </span>}
          {here.map((line) => (
            <Change key={`${line.before}\n${line.after}`} line={line} />
          ))}
        </li>
      ))}
    </ul>
  );
}

function Change({ line: { before, after } }: { readonly line: Line }) {
  return (
    <>
      {before === undefined ? undefined : (
        <del>
          <bdi>{before}</bdi>
        </del>
      )}
      {before !== undefined && after !== undefined ? <span aria-hidden="true"> → </span> : undefined}
      {after === undefined ? undefined : (
        <ins>
          <bdi>{after}</bdi>
        </ins>
      )}{" "}
    </>
  );
}
