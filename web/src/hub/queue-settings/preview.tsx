import { useDebouncedValue } from "@mantine/hooks";
import { governor } from "@nest/protocol";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "../../shared/call/call.ts";
import { count } from "../../shared/format/format.ts";

const TYPING_MS = 300;
const SHOWN = 5;

export interface PreviewProps {
  readonly patterns: governor.PatternKey;
  readonly lines: readonly string[];
  /** What happens to the matching ones, as a sentence. */
  readonly meaning: string;
}

/** From this part on, a match counts as nearly everything; not if there are only a few. */
const NEARLY_ALL = 0.9;
const FEW = 10;

function matchesNearlyAll({ matched, of }: governor.PreviewReply): boolean {
  return of >= FEW && matched >= NEARLY_ALL * of;
}

/** Shows what a list of patterns would match now, while it is being edited. */
export function Preview({ patterns: key, lines, meaning }: PreviewProps) {
  const [settled] = useDebouncedValue(lines, TYPING_MS);
  const { data, error } = useQuery({
    queryKey: ["preview", key, settled],
    queryFn: async ({ signal }) =>
      (await call(governor.previewPatterns, { body: { key, patterns: [...settled] }, signal })).value,
    placeholderData: keepPreviousData,
    gcTime: 10_000,
    staleTime: 5000,
  });
  if (error !== null && data === undefined)
    return <p className="preview">What this would match cannot be told right now.</p>;
  if (data === undefined || settled.length === 0) return undefined;
  const what = key === "contribute_allow_models" ? "connected relays" : "open issues";
  return (
    <div className="preview" role="status" data-key={key}>
      <p>
        Matches {count(data.matched)} of {count(data.of)} {what}
        {data.matched === 0 ? ": no effect now" : `: ${meaning}`}
      </p>
      {matchesNearlyAll(data) ? (
        <p data-tone="warn">
          <b>That is nearly all of them.</b> Look again at the lines above.
        </p>
      ) : undefined}
      <Matches matches={data.matches.slice(0, SHOWN)} />
      {data.matched > SHOWN ? (
        <details>
          <summary>and {count(data.matched - SHOWN)} more</summary>
          <div className="preview-rest">
            <Matches matches={data.matches.slice(SHOWN)} />
            {data.matched > data.matches.length ? (
              <p className="soft">and {count(data.matched - data.matches.length)} that are not listed here</p>
            ) : undefined}
          </div>
        </details>
      ) : undefined}
    </div>
  );
}

function Matches({ matches }: Pick<governor.PreviewReply, "matches">) {
  return (
    <ul>
      {matches.map(({ subject, pattern, key: item, title }) => (
        <li key={`${item ?? title} ${subject} ${pattern}`} className="cut">
          <code>
            <bdi>{pattern}</bdi>
          </code>{" "}
          {item === undefined ? undefined : <span className="soft">{item} </span>}
          <bdi>{subject === "" ? "nothing declared" : subject}</bdi>
          {item === undefined && title !== undefined ? (
            <span className="soft">
              {" "}
              <bdi>{title}</bdi>
            </span>
          ) : undefined}
        </li>
      ))}
    </ul>
  );
}
