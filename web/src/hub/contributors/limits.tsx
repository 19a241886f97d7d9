import { Progress } from "@mantine/core";
import type { contribute } from "@nest/protocol";
import { useServerNow } from "../../shared/call/server-time.ts";
import { duration, plural } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";

/** What somebody has used of the limits of their tier, and when there is room again. */
export function Limits({ limits }: { readonly limits: contribute.OwnLimits }) {
  const { next_tier: next } = limits;
  return (
    <Panel id="limits" title="Limits">
      <div className="pad stack">
        <Meter name="This hour" used={limits.used_hour} most={limits.max_per_hour} freesAt={limits.hour_frees_at} />
        <Meter name="These 24 hours" used={limits.used_day} most={limits.max_per_day} freesAt={limits.day_frees_at} />
        <Meter name="At once" used={limits.held} most={limits.max_concurrent} freesAt={undefined} />
        {next === undefined ? undefined : (
          <p className="soft small">
            {next.missing === 0
              ? `Becomes ${next.tier} with the next`
              : `${plural(next.missing, "more verified pull request")} to ${next.tier}`}
          </p>
        )}
      </div>
    </Panel>
  );
}

interface MeterProps {
  readonly name: string;
  readonly used: number;
  /** 0 = no limit. */
  readonly most: number;
  readonly freesAt: string | undefined;
}

function Meter({ name, used, most, freesAt }: MeterProps) {
  const now = useServerNow();
  const full = most > 0 && used >= most;
  return (
    <div>
      <p className="line">
        <span>{name}</span>
        <span data-tone={full ? "warn" : ""}>
          {most === 0 ? `${used}, no limit` : `${used} of ${most}`}
          {freesAt === undefined ? "" : `, room in ${duration(Date.parse(freesAt) - now)}`}
        </span>
      </p>
      {most === 0 ? undefined : (
        <Progress
          value={Math.min(100, (100 * used) / most)}
          color={full ? "orange" : "nest"}
          aria-label={`${name}: ${used} of ${most}`}
        />
      )}
    </div>
  );
}
