import { SegmentedControl, Select } from "@mantine/core";
import { nestLedger } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { SearchField } from "../../shared/lists/search-field.tsx";
import { useSearchState } from "../../shared/router/search.ts";
import { ActButton } from "../session/act-button.tsx";
import { BeadDialog } from "./bead-dialog.tsx";
import { Board } from "./board.tsx";
import { beadsKey } from "./change-bead.ts";
import { LedgerSearch } from "./ledger-search.ts";
import { NewBead } from "./new-bead.tsx";
import { ReadyList } from "./ready-list.tsx";

/** The work ledgers of all agents: as a board by status, or as the list of what is ready. */
export function Ledger() {
  const [{ view = "board", agent = "", q = "" }, change] = useSearchState(LedgerSearch);
  const [opened, setOpened] = useState<nestLedger.LedgerBead>();
  const [isNew, setNew] = useState(false);
  const { data } = useQuery({
    queryKey: [beadsKey, "ledgers"],
    queryFn: async ({ signal }) => (await call(nestLedger.beads, { query: { limit: 1 }, signal })).value,
  });
  const agents = data?.agents ?? [];
  return (
    <>
      <div className="page-head">
        <h1>Ledger</h1>
        <ActButton
          right="operate"
          because={data !== undefined && agents.length === 0 ? "No agent has a ledger: none is configured." : undefined}
          onClick={() => setNew(true)}
        >
          Write something down
        </ActButton>
      </div>
      <div className="ledger-bar">
        <SegmentedControl
          aria-label="How it is shown"
          value={view}
          data={[
            { value: "board", label: "Board" },
            { value: "ready", label: "Ready" },
          ]}
          onChange={(value) => change({ view: value === "ready" ? "ready" : undefined })}
        />
        <Select
          aria-label="Agent"
          placeholder="All agents"
          clearable
          data={agent === "" || agents.includes(agent) ? agents : [...agents, agent]}
          value={agent === "" ? null : agent}
          onChange={(value) => change({ agent: value ?? "" })}
        />
        {view === "board" ? (
          <SearchField
            label="Search the ledgers"
            placeholder="Title or notes"
            value={q}
            change={(text) => change({ q: text })}
          />
        ) : undefined}
      </div>
      {data?.unreadable.map(({ agent: whose, reason }) => (
        <p key={whose} className="notice after">
          The ledger of <bdi>{whose}</bdi> cannot be read: <bdi>{reason}</bdi>
        </p>
      ))}
      {view === "board" ? <Board agent={agent} q={q} open={setOpened} /> : <ReadyList agent={agent} open={setOpened} />}
      {opened === undefined ? undefined : (
        <BeadDialog key={`${opened.agent} ${opened.id}`} bead={opened} close={() => setOpened(undefined)} />
      )}
      {isNew ? <NewBead agents={agents} agent={agent} isOpen close={() => setNew(false)} /> : undefined}
    </>
  );
}
