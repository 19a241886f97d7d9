import { Checkbox, Select } from "@mantine/core";
import { nests } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { closeDialog, openDialog } from "../../shared/forms/dialogs.tsx";
import { DialogForm } from "../../shared/forms/form-dialog.tsx";
import { actOnNest } from "./act-on-nest.ts";

/** Asks to which cluster a nest shall move. */
export function openMigrate(nest: nests.NestDetail): void {
  const dialog = openDialog({
    title: "Move to another cluster",
    children: <Migrate nest={nest} close={() => closeDialog(dialog)} />,
  });
}

function Migrate({
  nest: { id, cluster_id: here },
  close,
}: {
  readonly nest: nests.NestDetail;
  readonly close: () => void;
}) {
  const [to, setTo] = useState<string | null>(null);
  const [adopt, setAdopt] = useState(false);
  const { data = [] } = useQuery({
    queryKey: ["clusters"],
    queryFn: async ({ signal }) => (await call(nests.clusters, { signal })).value.clusters,
  });
  const others = data.filter((one) => one.id !== here || adopt);
  const move = () =>
    actOnNest(
      id,
      () => call(nests.migrate, { params: { id }, body: { cluster_id: to ?? "", adopt } }),
      adopt ? "The hub works on it there from now on." : "The move has begun.",
    );
  return (
    <DialogForm close={close} yes={adopt ? "Adopt" : "Move"} isReady={to !== null} submit={move}>
      <ul className="consequences">
        {adopt ? (
          <li>Nothing is copied: the nest runs there already, made by hand, and the hub takes it over.</li>
        ) : (
          <>
            <li>It stops, its data is copied, and everything that arrived is proven.</li>
            <li>
              Only then does the new one start, and the old one go. If anything fails, the old one is started again.
            </li>
          </>
        )}
        <li>Its address changes to one of the other cluster.</li>
      </ul>
      <div className="stack">
        <Checkbox
          label="It is on that cluster already: adopt it where it is"
          checked={adopt}
          onChange={(event) => setAdopt(event.currentTarget.checked)}
        />
        <Select
          label="Cluster"
          description={`Now it is on ${here === "" ? "none" : here}.`}
          placeholder={others.length === 0 ? "There is no other cluster" : "Choose one"}
          data={others.map(({ id: value, name, reachable }) => ({
            value,
            label: name ?? value,
            // The hub copies nothing to where it does not reach.
            disabled: reachable !== "yes" && reachable !== "unknown",
          }))}
          value={to}
          onChange={setTo}
        />
      </div>
    </DialogForm>
  );
}
