import { Button } from "@mantine/core";
import { useEffect, useState } from "react";
import { timeOfDay } from "../format/format.ts";
import { reconnect, useConnection } from "../stream/event-stream.ts";

/** A break shorter than this is not shown. */
const SHOWN_AFTER_MS = 1500;

/** Appears when the server is not heard from: says since when, and that the page may show old values. */
export function OfflineBanner({ server }: { readonly server: "hub" | "nest" }) {
  const { state, lastHeardAt } = useConnection((connection) => connection);
  const isAway = state === "offline" || state === "silent";
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!isAway) return setShown(false);
    const timer = setTimeout(() => setShown(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isAway]);
  return (
    <div className="offline" role="status" aria-live="polite">
      {shown && isAway ? (
        <div className="offline-banner">
          <div className="wide">
            <span>
              {`The ${server} ${state === "silent" ? "has fallen silent" : "does not answer"}.`}{" "}
              {lastHeardAt === undefined
                ? "Nothing was heard from it yet."
                : `Last heard at ${timeOfDay(lastHeardAt)}.`}{" "}
              What you see may be old; this page tries again by itself.
            </span>
            <Button size="compact-sm" variant="default" onClick={reconnect}>
              Try now
            </Button>
          </div>
        </div>
      ) : undefined}
    </div>
  );
}
