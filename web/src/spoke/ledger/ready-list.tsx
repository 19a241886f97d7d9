import { nestLedger } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../shared/call/call.ts";
import { useServerNow } from "../../shared/call/server-time.ts";
import { count, duration } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { VirtualList } from "../../shared/lists/virtual-list.tsx";
import { Empty, LoadFailed, Loading } from "../../shared/states/states.tsx";
import { priorityWords } from "./bead-words.ts";
import { beadsKey } from "./change-bead.ts";

const ROWS = 200;
const ROW_PX = 58;

type LedgerBead = nestLedger.LedgerBead;

export interface ReadyListProps {
  readonly agent: string;
  readonly open: (bead: LedgerBead) => void;
}

/** What is open and waits for nothing: the most urgent first, then the oldest. */
export function ReadyList({ agent, open }: ReadyListProps) {
  const { data, error, refetch } = useQuery({
    queryKey: [beadsKey, "ready", agent],
    queryFn: async ({ signal }) => {
      const query = { limit: ROWS, ...(agent === "" ? {} : { agent }) };
      return (await call(nestLedger.readyBeads, { query, signal })).value;
    },
  });
  const tally = data === undefined ? undefined : talliedAs(data.beads.length, data.total);
  return (
    <Panel id="ready" title="Ready" tally={tally}>
      {data === undefined ? (
        error === null ? (
          <Loading rows={6} />
        ) : (
          <LoadFailed problem={error} again={() => void refetch()} />
        )
      ) : data.beads.length === 0 ? (
        <Empty>Nothing is ready: all is done, or waits for something else.</Empty>
      ) : (
        <VirtualList
          label="Ready, the most urgent first"
          rows={data.beads}
          rowHeight={ROW_PX}
          keyOf={(bead) => `${bead.agent} ${bead.id}`}
          show={(bead) => <Row bead={bead} open={() => open(bead)} />}
        />
      )}
    </Panel>
  );
}

function Row({ bead, open }: { readonly bead: LedgerBead; readonly open: () => void }) {
  const now = useServerNow();
  return (
    <div className="queue-row">
      <div className="issue">
        <button type="button" className="bead-title cut" onClick={open}>
          <bdi>{bead.title}</bdi>
        </button>
        <p className="facts">
          <span>{priorityWords(bead.priority)}</span>
          <span>{bead.type}</span>
          <bdi>{bead.agent}</bdi>
          {bead.external_ref === undefined ? undefined : <bdi>{bead.external_ref}</bdi>}
          <span>{duration(now - Date.parse(bead.created_at))} old</span>
        </p>
      </div>
    </div>
  );
}

function talliedAs(shown: number, total: number): string {
  return shown < total ? `the first ${count(shown)} of ${count(total)}` : count(total);
}
