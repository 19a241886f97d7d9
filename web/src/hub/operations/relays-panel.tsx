import { Button, SegmentedControl } from "@mantine/core";
import { type contribute, describeUnavailable } from "@nest/protocol";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useState } from "react";
import { useServerNow } from "../../shared/call/server-time.ts";
import { capitalised, count, duration } from "../../shared/format/format.ts";
import { DialogBox } from "../../shared/forms/dialogs.tsx";
import { usePart } from "../../shared/lazy/lazy-part.ts";
import { ListPanel } from "../../shared/lists/list-panel.tsx";
import { VirtualList } from "../../shared/lists/virtual-list.tsx";
import { useSearchState } from "../../shared/router/search.ts";
import { Empty, Loading } from "../../shared/states/states.tsx";
import { TierBadge } from "../contributors/tier-badge.tsx";
import { LinkedText } from "../issues/linked-text.tsx";
import { useLive } from "../live/live.ts";
import { RelayPausedBadge } from "../pauses/relay-pause.tsx";
import { OperationsSearch } from "./operations-search.ts";
import { hasFacets } from "./relay-facets.ts";
import { isKind, protocolWords, relayKinds } from "./relay-kinds.ts";

const ROW_PX = 86;

const RelayFacetBar = lazy(async () => ({ default: (await import("./relay-facet-bar.tsx")).RelayFacetBar }));

/** Every connected relay: what it declared, what it does, why it idles, what failed last. */
export function RelaysPanel() {
  const fleet = useLive((live) => live.fleet);
  const [search, show] = useSearchState(OperationsSearch);
  const { relays: kind, relay_q: q = "" } = search;
  const { relay_tier: tier, relay_backend: backend, relay_model: model, relay_version: version } = search;
  const facets = useMemo(() => ({ tier, backend, model, version }), [tier, backend, model, version]);
  const hasChosen = Object.values(facets).some((value) => value !== undefined);
  const [isOpen, setOpen] = useState(hasChosen);
  const [chosen, setChosen] = useState<string>();
  const relays = useMemo(() => {
    const wanted = q.toLowerCase();
    return (fleet?.relays ?? []).filter(
      (relay) =>
        (kind === undefined || isKind(relay, kind)) &&
        hasFacets(relay, facets) &&
        (wanted === "" || searchedIn(relay).includes(wanted)),
    );
  }, [fleet, q, kind, facets]);
  const relay = fleet?.relays.find((one) => one.connection_id === chosen);
  const card = usePart(() => import("./relay-card.tsx"), relay !== undefined);
  return (
    <ListPanel
      id="relays"
      title="Relays"
      tally={fleet === undefined ? undefined : count(fleet.relays.length)}
      tools={
        <Button size="compact-sm" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {hasChosen ? "Filtered" : "Filters"}
        </Button>
      }
      filters={
        <SegmentedControl
          aria-label="Which relays"
          value={kind ?? "all"}
          onChange={(value) => show({ relays: relayKinds.find((one) => one === value) })}
          data={["all", ...relayKinds].map((value) => ({ value, label: capitalised(value) }))}
        />
      }
      search={{
        label: "Search relays",
        placeholder: "Login, CLI, model, tier, version",
        value: q,
        change: (text) => show({ relay_q: text }),
      }}
    >
      {isOpen && fleet !== undefined ? (
        <Suspense fallback={<Loading rows={1} />}>
          <RelayFacetBar
            relays={fleet.relays}
            chosen={facets}
            choose={(change) =>
              show(Object.fromEntries(Object.entries(change).map(([name, value]) => [`relay_${name}`, value])))
            }
          />
        </Suspense>
      ) : undefined}
      {fleet === undefined ? (
        <Loading rows={6} />
      ) : relays.length === 0 ? (
        <Empty>{fleet.relays.length === 0 ? "No relay is connected." : "No connected relay is like that."}</Empty>
      ) : (
        <VirtualList
          label="Connected relays"
          rows={relays}
          rowHeight={ROW_PX}
          keyOf={(one) => one.connection_id}
          show={(one) => {
            const task = one.current_task === undefined ? undefined : fleet.taskOf.get(one.current_task);
            return <RelayRow relay={one} task={task} open={() => setChosen(one.connection_id)} />;
          }}
        />
      )}
      <DialogBox
        isOpen={relay !== undefined}
        close={() => setChosen(undefined)}
        at="side"
        title={relay === undefined ? "" : <bdi>{relay.github_username}</bdi>}
      >
        {relay === undefined || card === undefined ? undefined : (
          <card.RelayCard
            relay={relay}
            task={relay.current_task === undefined ? undefined : fleet?.taskOf.get(relay.current_task)}
          />
        )}
      </DialogBox>
    </ListPanel>
  );
}

/** What a search finds a relay by. */
function searchedIn(relay: contribute.FleetRelay): string {
  const { github_username: login, session, cli_backend: backend, model, trust_tier: tier, protocol } = relay;
  return [login, session, backend, model, tier, protocol.declared, ...Object.values(relay.capabilities)]
    .join(" ")
    .toLowerCase();
}

interface RowProps {
  readonly relay: contribute.FleetRelay;
  readonly task: contribute.FleetWork | undefined;
  readonly open: () => void;
}

function RelayRow({ relay, task, open }: RowProps) {
  const now = useServerNow();
  const agent = [relay.cli_backend, relay.model].filter(Boolean).join(" · ");
  const drift = protocolWords(relay.protocol);
  return (
    <div className="relay-row">
      <p className="line">
        <button type="button" className="name" onClick={open}>
          <bdi>{relay.github_username}</bdi>
        </button>
        <TierBadge name={relay.trust_tier} />
        <RelayState relay={relay} task={task} />
        <RelayPausedBadge relay={relay} />
      </p>
      <p className="facts">
        <bdi>{agent === "" ? "nothing declared" : agent}</bdi>
        {relay.role === undefined ? undefined : <span>as {relay.role}</span>}
        {relay.capabilities.os === undefined ? undefined : (
          <bdi>{[relay.capabilities.os, relay.capabilities.arch].filter(Boolean).join("/")}</bdi>
        )}
        <span data-tone={relay.protocol.verdict === "current" ? "" : "warn"}>{drift}</span>
        <span className="wide-only">here for {duration(now - Date.parse(relay.connected_at))}</span>
      </p>
      {relay.last_failure === undefined ? undefined : (
        <p className="facts cut" data-tone="bad">
          <span>
            failed ({relay.last_failure.kind}) {duration(now - Date.parse(relay.last_failure.at))} ago
          </span>
          <LinkedText text={relay.last_failure.reason} />
        </p>
      )}
    </div>
  );
}

function RelayState({ relay, task }: Omit<RowProps, "open">) {
  const now = useServerNow();
  if (relay.current_task === undefined)
    return (
      <span className="state" data-state="idle">
        {relay.idle_reason === undefined ? "idle" : `idle: ${describeUnavailable(relay.idle_reason).label}`}
      </span>
    );
  const name =
    task === undefined ? "a task" : task.private === true ? "a private issue" : `${task.repo}#${task.number}`;
  return (
    <span className="state" data-state="in-progress">
      <Link to="/tasks/$id" params={{ id: relay.current_task } as never}>
        {name}
      </Link>
      {task === undefined ? "" : ` ${duration(now - Date.parse(task.assigned_at))}`}
    </span>
  );
}
