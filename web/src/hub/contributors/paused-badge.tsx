import type { contributors } from "@nest/protocol";
import { useServerNow } from "../../shared/call/server-time.ts";
import { dateAndTime, timeLeft } from "../../shared/format/format.ts";

/** Says that somebody is given no work for a while: because an admin said so, or because task after task of theirs failed. */
export function PausedBadge({ one }: { readonly one: Pick<contributors.ContributorRow, "pause" | "paused_until"> }) {
  const now = useServerNow();
  const { pause, paused_until: until } = one;
  if (pause !== undefined)
    return (
      <span
        className="mark"
        data-tone="warn"
        title={`Paused by ${pause.by}${pause.note === "" ? "" : `: ${pause.note}`}`}
      >
        paused{pause.until === undefined ? "" : ` for ${timeLeft(Date.parse(pause.until) - now)}`}
      </span>
    );
  const leftMs = until === undefined ? 0 : Date.parse(until) - now;
  if (until === undefined || leftMs <= 0) return undefined;
  return (
    <span className="mark" data-tone="warn" title={`Paused after failures until ${dateAndTime(until)}`}>
      paused for {timeLeft(leftMs)}
    </span>
  );
}
