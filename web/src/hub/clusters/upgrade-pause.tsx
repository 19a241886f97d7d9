import { Switch, TextInput } from "@mantine/core";
import { nests } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { dateAndTime } from "../../shared/format/format.ts";
import { useOptimistic } from "../../shared/forms/use-optimistic.ts";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";
import { showError, showToast } from "../../shared/toast/toast.tsx";

const KEY = ["upgrade-pause"];

/** The one switch that keeps all nests from upgrading by themselves, with who turned it off, when and why. */
export function UpgradePause() {
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => (await call(nests.upgradePause, { signal })).value,
    staleTime: 0,
  });
  return (
    <section className="panel pad upgrade-pause" aria-label="Upgrades by themselves">
      {data !== undefined ? (
        <Lever pause={data} />
      ) : error === null ? (
        <Loading rows={2} />
      ) : (
        <LoadFailed problem={error} again={() => void refetch()} />
      )}
    </section>
  );
}

function Lever({ pause: { paused, by, at, note } }: { readonly pause: nests.UpgradePause }) {
  const [why, setWhy] = useState("");
  const isOn = useOptimistic(!paused, async (on: boolean) => {
    const said = on || why.trim() === "" ? {} : { note: why.trim() };
    await call(nests.setUpgradePause, { body: { paused: !on, ...said } });
    setWhy("");
    showToast(on ? "Nests upgrade by themselves again." : "No nest upgrades by itself any more.");
    await queries.invalidateQueries({ queryKey: KEY });
  });
  return (
    <>
      <Switch
        label="Nests upgrade by themselves"
        description="Those whose owner wants it, one of a cluster first, then ten at a time. Off: none begins; an upgrade that is under way ends, and by hand it goes on."
        checked={isOn.value}
        aria-busy={isOn.isPending}
        onChange={(event) => void isOn.choose(event.currentTarget.checked).catch(showError)}
      />
      {paused ? (
        <p className="notice" role="status">
          Stopped{by === undefined ? "" : " by "}
          <bdi>{by}</bdi>
          {at === undefined ? "" : `, ${dateAndTime(at)}`}
          {note === undefined ? "." : ": "}
          <bdi>{note}</bdi>
        </p>
      ) : (
        <TextInput
          label="Why, should you turn it off"
          description="Other admins read it here and in the audit"
          autoComplete="off"
          maxLength={300}
          value={why}
          onChange={(event) => setWhy(event.currentTarget.value)}
        />
      )}
    </>
  );
}
