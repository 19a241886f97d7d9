import { Button } from "@mantine/core";
import { useEffect, useState } from "react";
import { reconnect, useConnection } from "../stream/event-stream.ts";

/** A break this short is not worth a word. */
const SHOWN_AFTER_MS = 1500;

/** Says that the server does not answer, and that what is shown may be old. */
export function OfflineBanner() {
  const state = useConnection((connection) => connection.state);
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (state !== "offline") return setShown(false);
    const timer = setTimeout(() => setShown(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return (
    <div role="status" aria-live="polite">
      {shown ? (
        <div className="offline-banner">
          <div className="wide">
            <span>The hub does not answer. What you see may be old; this page reconnects by itself.</span>
            <Button size="compact-sm" variant="default" onClick={reconnect}>
              Try now
            </Button>
          </div>
        </div>
      ) : undefined}
    </div>
  );
}
