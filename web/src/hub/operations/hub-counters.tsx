import { Counter, Counters } from "../../shared/layout/counters.tsx";
import { useLive } from "../live/live.ts";
import { withheldTotal } from "../live/withheld.ts";

/** The hub in five numbers. Every open issue is counted in exactly one of the first three. */
export function HubCounters() {
  const status = useLive((live) => live.status);
  const relays = useLive((live) => live.fleet?.relays.length);
  return (
    <Counters>
      <Counter name="On offer" value={status?.actionable_items} />
      <Counter name="Under way" value={status?.in_flight} />
      <Counter name="Withheld" value={status === undefined ? undefined : withheldTotal(status.withheld)} />
      <Counter name="Relays connected" value={relays} />
      <Counter name="Contributors" value={status?.total_registered} />
    </Counters>
  );
}
