import { useServerNow } from "../../shared/call/server-time.ts";
import { dateAndTime, duration } from "../../shared/format/format.ts";

/** Says that somebody is given no work for a while because task after task of theirs failed, and for how long. */
export function PausedBadge({ until }: { readonly until: string | undefined }) {
  const now = useServerNow();
  const leftMs = until === undefined ? 0 : Date.parse(until) - now;
  if (until === undefined || leftMs <= 0) return undefined;
  return (
    <span className="mark" data-tone="warn" title={`Paused after failures until ${dateAndTime(until)}`}>
      paused for {duration(leftMs)}
    </span>
  );
}
