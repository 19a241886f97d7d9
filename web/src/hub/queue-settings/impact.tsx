import type { governor } from "@nest/protocol";
import { count, plural } from "../../shared/format/format.ts";
import { useImpact } from "./use-pattern-faults.ts";

/** From this part on, an effect counts as nearly the whole queue. */
const NEARLY_ALL = 0.9;
/** Queues shorter than this get no warning. */
const FEW = 10;

/** Shows in numbers what saving a change would do to the queue now. */
export function Impact({ change }: { readonly change: governor.GovernorChange }) {
  const { data, error } = useImpact(change);
  const words = impactWords(data?.offered);
  return (
    <p className="effect" role="status" data-tone={isNearlyAll(data?.offered) ? "warn" : ""}>
      {words ?? (error === null ? "Counting what this does…" : "What this does to the queue cannot be told right now.")}
      {change.contribute_suspended === true ? " No relay is given work until it is resumed." : ""}
    </p>
  );
}

type Offered = governor.ImpactReply["offered"];

/** The effect as a sentence: `240 issues leave the queue, 670 remain.` */
export function impactWords(offered: Offered): string | undefined {
  if (offered === undefined) return undefined;
  const { after, leaving, joining } = offered;
  if (leaving === 0 && joining === 0)
    return `No issue leaves the queue and none comes to it: ${plural(after, "issue")} on offer.`;
  const parts = [
    leaving === 0 ? "" : `${plural(leaving, "issue")} ${leaving === 1 ? "leaves" : "leave"} the queue`,
    joining === 0 ? "" : `${plural(joining, "issue")} ${joining === 1 ? "comes" : "come"} on offer`,
    `${count(after)} ${after === 1 ? "remains" : "remain"}`,
  ];
  const warning = isNearlyAll(offered) ? " That is nearly the whole queue." : "";
  return `${parts.filter((part) => part !== "").join(", ")}.${warning}`;
}

function isNearlyAll(offered: Offered): boolean {
  return offered !== undefined && offered.before >= FEW && offered.leaving >= NEARLY_ALL * offered.before;
}
