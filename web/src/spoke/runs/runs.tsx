import { Chip, Select } from "@mantine/core";
import { nestRuns, runOutcomes } from "@nest/protocol";
import { call } from "../../shared/call/call.ts";
import { capitalised } from "../../shared/format/format.ts";
import { ListPage } from "../../shared/lists/list-page.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { useSearchState } from "../../shared/router/search.ts";
import { useLive } from "../live/live.ts";
import { outcomeOf } from "./outcome-words.ts";
import { RunRow } from "./run-row.tsx";
import { RunsSearch } from "./runs-search.ts";

const ROWS = 100;
const ROW_PX = 74;

/** What the agents did, newest first. */
export function Runs() {
  const [{ agent = "", outcome, issue = "" }, change] = useSearchState(RunsSearch);
  const names = useLive((live) => live.agents)?.map(({ name }) => name) ?? [];
  // An agent that is gone has runs all the same.
  const known = agent === "" || names.includes(agent) ? names : [...names, agent];
  const list = usePages(["runs", agent, outcome ?? "", issue], (cursor, signal) =>
    call(nestRuns.runs, {
      query: {
        limit: ROWS,
        ...(cursor === "" ? {} : { cursor }),
        ...(agent === "" ? {} : { agent }),
        ...(outcome === undefined ? {} : { outcome }),
        ...(issue === "" ? {} : { issue }),
      },
      signal,
    }),
  );
  const isFiltered = agent !== "" || outcome !== undefined || issue !== "";
  return (
    <ListPage
      id="runs"
      title="Runs"
      search={{
        label: "Runs on one issue",
        placeholder: "Issue, as owner/name#12",
        value: issue,
        change: (text) => change({ issue: text }),
        maxLength: 220,
      }}
      filters={
        <Select
          aria-label="Agent"
          placeholder="All agents"
          clearable
          data={known}
          value={agent === "" ? null : agent}
          onChange={(value) => change({ agent: value ?? "" })}
        />
      }
      above={
        <fieldset className="reasons" aria-label="How they ended">
          {runOutcomes.map((one) => (
            <Chip
              key={one}
              size="xs"
              variant="outline"
              checked={outcome === one}
              onChange={(on) => change({ outcome: on ? one : undefined })}
            >
              {capitalised(outcomeOf(one).words)}
            </Chip>
          ))}
        </fieldset>
      }
      list={list}
      rowsOf={(page) => page.runs}
      empty={isFiltered ? "No run is like this." : "No agent has run yet."}
      label="Runs, newest first"
      rowHeight={ROW_PX}
      keyOf={({ id }) => id}
      show={(run) => <RunRow run={run} />}
    />
  );
}
