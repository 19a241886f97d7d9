import { Button } from "@mantine/core";
import { useEffect, useState } from "react";
import { followHub, useLive } from "../live/live.ts";

/** A break this short is not worth a word. */
const TOLD_AFTER_MS = 1500;

/** Says that the hub does not answer, and that what is shown may be old. */
export function Away() {
  const link = useLive((live) => live.link);
  const [told, setTold] = useState(false);
  useEffect(() => {
    if (link !== "away") return setTold(false);
    const timer = setTimeout(() => setTold(true), TOLD_AFTER_MS);
    return () => clearTimeout(timer);
  }, [link]);
  return (
    <div role="status" aria-live="polite">
      {told ? (
        <div className="away">
          <div className="wide">
            <span>The hub does not answer. What you see may be old; this page reconnects by itself.</span>
            <Button size="compact-sm" variant="default" onClick={followHub}>
              Try now
            </Button>
          </div>
        </div>
      ) : undefined}
    </div>
  );
}
