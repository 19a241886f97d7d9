import { type nestAgents, nestEvents, type nestWork } from "@nest/protocol";
import { queries } from "../../shared/call/queries.ts";
import { createStore, useStore } from "../../shared/store/store.ts";
import { followStream, streamEvent } from "../../shared/stream/event-stream.ts";
import { newestFirst } from "./newest-first.ts";

/** The live state of the nest, from its event stream. */
export interface Live {
  readonly governor: nestWork.GovernorStatus | undefined;
  readonly agents: readonly nestAgents.NestAgent[] | undefined;
  /** Newest first. */
  readonly activity: readonly nestEvents.NestActivity[];
}

const { events } = nestEvents;
/** Changes come in bursts: what they make old is read once for all of them. */
const REREAD_AFTER_MS = 700;

export const live = createStore<Live>({ governor: undefined, agents: undefined, activity: [] });

/** Follows the nest's event stream for as long as the page lives. */
export function followNest(): void {
  followStream("/api/events", [
    streamEvent("hello", events.hello, ({ governor, agents, activity }) => {
      change({ governor, agents, activity: newestFirst(activity, live.get().activity) });
      // What changed while nobody listened is not known: everything is read anew.
      reread("queue", "queue-history", "runs", "run", "run-days", "beads", "status");
    }),
    streamEvent("governor", events.governor, (governor) => {
      change({ governor });
      reread("queue", "queue-history", "status");
    }),
    streamEvent("agent", events.agent, putAgent),
    streamEvent("agent_gone", events.agent_gone, ({ name }) =>
      change({ agents: live.get().agents?.filter((agent) => agent.name !== name) }),
    ),
    streamEvent("run", events.run, () => reread("runs", "run", "run-days", "beads")),
    streamEvent("activity", events.activity, (line) => change({ activity: newestFirst([line], live.get().activity) })),
  ]);
}

/** Takes an agent's newest state, from the stream or from the answer to an act. */
export function putAgent(agent: nestAgents.NestAgent): void {
  const { agents = [] } = live.get();
  const isKnown = agents.some(({ name }) => name === agent.name);
  change({ agents: isKnown ? agents.map((one) => (one.name === agent.name ? agent : one)) : [...agents, agent] });
}

/** Reads one part of the live state. The component renders again only when that part changes. */
export function useLive<Part>(pick: (state: Live) => Part): Part {
  return useStore(live, pick);
}

/** How many issues agents may take now; undefined until it is known. */
export function useActionable(): number | undefined {
  return useLive(({ governor }) => governor?.actionable);
}

function change(part: Partial<Live>): void {
  live.set({ ...live.get(), ...part });
}

const old = new Set<string>();

function reread(...keys: readonly string[]): void {
  if (old.size === 0)
    setTimeout(() => {
      for (const key of old) void queries.invalidateQueries({ queryKey: [key] });
      old.clear();
    }, REREAD_AFTER_MS);
  for (const key of keys) old.add(key);
}
