import type { nestLedger } from "@nest/protocol";
import { plural } from "../../shared/format/format.ts";
import { priorityWords } from "./bead-words.ts";

/** One bead on the board. */
export function BeadCard({ bead, open }: { readonly bead: nestLedger.LedgerBead; readonly open: () => void }) {
  const { title, type, priority, agent, external_ref: reference, waits_for: waits, waited_for_by: waited } = bead;
  return (
    <article className="bead">
      <button type="button" className="bead-title" onClick={open}>
        <bdi>{title}</bdi>
      </button>
      <p className="facts">
        <span>{type}</span>
        {priority < 2 ? (
          <span className="mark" data-tone="warn">
            {priorityWords(priority)}
          </span>
        ) : undefined}
        <bdi>{agent}</bdi>
        {reference === undefined ? undefined : <bdi>{reference}</bdi>}
        {waits.length === 0 ? undefined : <span>waits for {plural(waits.length, "other")}</span>}
        {waited.length === 0 ? undefined : <span>{plural(waited.length, "other waits", "others wait")} for it</span>}
      </p>
    </article>
  );
}
