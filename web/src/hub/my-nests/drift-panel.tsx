import { Button } from "@mantine/core";
import { nests } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { dateAndTime } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { Empty } from "../../shared/states/states.tsx";
import { showError, showToast } from "../../shared/toast/toast.tsx";
import { askToRepair } from "./nest-actions.tsx";

/** In what a nest differs from what the hub wants of it, field by field, and the way to repair that. */
export function DriftPanel({ nest }: { readonly nest: nests.NestDetail }) {
  const { id, drift, operation } = nest;
  const [isLooking, setLooking] = useState(false);
  const look = async () => {
    setLooking(true);
    try {
      const { value } = await call(nests.compare, { params: { id }, deadlineMs: 40_000 });
      await queries.invalidateQueries({ queryKey: ["nest", id] });
      if (value.drift.length === 0) showToast("It is as the hub wants it.");
    } catch (thrown) {
      showError(thrown);
    } finally {
      setLooking(false);
    }
  };
  return (
    <Panel
      id="drift"
      title="Differences"
      tally={drift.length === 0 ? undefined : String(drift.length)}
      tools={
        <Button
          size="compact-sm"
          variant="default"
          loading={isLooking}
          disabled={operation !== undefined}
          onClick={() => void look()}
        >
          Look now
        </Button>
      }
    >
      {drift.length === 0 ? (
        <Empty>None known. The hub compares every ten minutes or so, on clusters that it reaches.</Empty>
      ) : (
        <>
          <ul className="plain-list">
            {drift.map((one) => (
              <DriftLine key={`${one.what} ${one.field}`} drift={one} />
            ))}
          </ul>
          <div className="pad card-acts">
            <Button disabled={operation !== undefined} onClick={() => askToRepair(nest)}>
              Repair
            </Button>
          </div>
        </>
      )}
    </Panel>
  );
}

function DriftLine({ drift: { what, field, wanted, found, since } }: { readonly drift: nests.Drift }) {
  return (
    <li className="drift">
      <p>
        <b>{what}</b> {field === undefined ? undefined : <code>{field}</code>}
      </p>
      <p className="diff">
        found{" "}
        <del>
          <bdi>{found}</bdi>
        </del>{" "}
        wanted{" "}
        <ins>
          <bdi>{wanted}</bdi>
        </ins>
      </p>
      {since === undefined ? undefined : <p className="soft small">known since {dateAndTime(since)}</p>}
    </li>
  );
}
