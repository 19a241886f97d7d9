import { Button } from "@mantine/core";
import { type BeadStatus, beadStatuses, nestLedger } from "@nest/protocol";
import { call } from "../../shared/call/call.ts";
import { usePages } from "../../shared/lists/use-pages.ts";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";
import { BeadCard } from "./bead-card.tsx";
import { statusWords } from "./bead-words.ts";
import { beadsKey } from "./change-bead.ts";

const ROWS = 50;

export interface BoardProps {
  readonly agent: string;
  readonly q: string;
  readonly open: (bead: nestLedger.LedgerBead) => void;
}

/** The ledgers of all agents as a board: a column for each status, newest first. */
export function Board(props: BoardProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, and the keyboard scrolls what has the focus
    <section className="board" aria-label="Board" tabIndex={0}>
      {beadStatuses.map((status) => (
        <BoardColumn key={status} status={status} {...props} />
      ))}
    </section>
  );
}

function BoardColumn({ status, agent, q, open }: BoardProps & { readonly status: BeadStatus }) {
  const { pages, problem, again, more } = usePages([beadsKey, "column", status, agent, q], (cursor, signal) =>
    call(nestLedger.beads, {
      query: {
        status,
        limit: ROWS,
        ...(cursor === "" ? {} : { cursor }),
        ...(agent === "" ? {} : { agent }),
        ...(q === "" ? {} : { text: q }),
      },
      signal,
    }),
  );
  const beads = pages?.flatMap((page) => page.beads);
  return (
    <section className="board-column" aria-labelledby={`column-${status}`}>
      <h2 id={`column-${status}`}>
        {statusWords(status)}{" "}
        <span className="tally">{beads === undefined ? "" : `${beads.length}${more === undefined ? "" : "+"}`}</span>
      </h2>
      {beads === undefined ? (
        problem === undefined ? (
          <Loading rows={3} />
        ) : (
          <LoadFailed problem={problem} again={again} />
        )
      ) : beads.length === 0 ? (
        <p className="soft small">None.</p>
      ) : (
        beads.map((bead) => <BeadCard key={`${bead.agent} ${bead.id}`} bead={bead} open={() => open(bead)} />)
      )}
      {more === undefined ? undefined : (
        <Button size="compact-sm" variant="default" onClick={more}>
          More
        </Button>
      )}
    </section>
  );
}
