import { count } from "../../shared/format/format.ts";
import { useLive } from "../live/live.ts";

/** The hub in five numbers. */
export function Counters() {
  const status = useLive((live) => live.status);
  const relays = useLive((live) => live.fleet?.relays.length);
  const withheld = status === undefined ? undefined : Object.values(status.withheld).reduce((sum, one) => sum + one, 0);
  return (
    <dl className="counters">
      <Counter name="On offer" value={status?.actionable_items} />
      <Counter name="Under way" value={status?.in_flight} />
      <Counter name="Withheld" value={withheld} />
      <Counter name="Relays connected" value={relays} />
      <Counter name="Contributors" value={status?.total_registered} />
    </dl>
  );
}

function Counter({ name, value }: { readonly name: string; readonly value: number | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value === undefined ? "–" : count(value)}</dd>
    </div>
  );
}
