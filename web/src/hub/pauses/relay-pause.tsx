import { Button } from "@mantine/core";
import type { contribute } from "@nest/protocol";
import { useServerNow } from "../../shared/call/server-time.ts";
import { timeLeft } from "../../shared/format/format.ts";
import { attempt } from "../../shared/toast/toast.tsx";
import { askToPause } from "./ask-to-pause.ts";
import { endPause } from "./pauses.ts";

const whose = { everything: "everybody paused", contributor: "contributor paused", session: "paused" } as const;

type Paused = Pick<contribute.FleetRelay, "pause">;

/** Says that a relay is given no work, because an admin paused it, its contributor or everybody. */
export function RelayPausedBadge({ relay: { pause } }: { readonly relay: Paused }) {
  const now = useServerNow();
  if (pause === undefined) return undefined;
  const leftMs = pause.until === undefined ? undefined : Date.parse(pause.until) - now;
  if (leftMs !== undefined && leftMs <= 0) return undefined;
  return (
    <span className="mark" data-tone="warn">
      {whose[pause.scope]}
      {leftMs === undefined ? "" : ` for ${timeLeft(leftMs)}`}
    </span>
  );
}

/** Pauses one relay, or ends its own pause. A relay without a name cannot be told from its contributor's others. */
export function RelayPauseButton({ relay, size }: { readonly relay: contribute.FleetRelay; readonly size?: string }) {
  const { contributor_id, github_username: login, session, pause } = relay;
  if (session === undefined) return undefined;
  const target = { scope: { kind: "session", contributor_id, session }, name: `${session} of ${login}` } as const;
  const look = { variant: "default", ...(size === undefined ? {} : { size }) };
  return pause?.scope === "session" ? (
    <Button {...look} onClick={() => attempt(() => endPause(target))}>
      End its pause
    </Button>
  ) : (
    <Button {...look} onClick={() => askToPause(target)}>
      Pause this relay…
    </Button>
  );
}
