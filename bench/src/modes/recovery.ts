import { epochNow } from "../load/modes.ts";
import type { HubPeer } from "../peers/hub-peer.ts";
import { endProcess } from "../process/child.ts";
import { seedFor } from "./seed.ts";
import { withHub } from "./with-hub.ts";

export interface RecoveryFigures {
  readonly name: string;
  readonly relays: number;
  readonly holding: number;
  /** Seconds from the kill. */
  readonly listening: number;
  readonly lastAuthenticated: number;
  readonly lastResumed: number;
  readonly lost: number;
  readonly doubled: number;
  /** Of the tasks held, how many could be completed afterwards. */
  readonly completed: number;
  readonly odd: Readonly<Record<string, number>>;
}

const WITHIN_MS = 60_000;

/** Kills the hub while half of the relays hold a task, starts it again at once, and counts what became of the leases. */
export function measureRecovery(peer: HubPeer, relays: number): Promise<RecoveryFigures> {
  const seed = seedFor(relays, relays * 2);
  const holding = Math.floor(relays / 2);
  return withHub(peer, seed, async (hub) => {
    const { load, prepared } = hub;
    await load.tell({ do: "hold", count: holding }, WITHIN_MS * 2);
    const { port } = hub.server.place;
    const killedAt = epochNow();
    hub.server.child.kill("SIGKILL");
    const [again] = await Promise.all([prepared.start(port), endProcess(hub.server.child, "SIGKILL")]);
    hub.server = again;
    const listeningAt = epochNow();
    const answer = await load.tell({ do: "recover", withinMs: WITHIN_MS }, WITHIN_MS * 2);
    const finished = await load.tell({ do: "finish", withinMs: WITHIN_MS }, WITHIN_MS * 2);
    const since = (at: number | undefined) => ((at ?? Number.NaN) - killedAt) / 1000;
    return {
      name: peer.name,
      relays,
      holding,
      listening: since(listeningAt),
      lastAuthenticated: since(answer.lastAuthenticatedAt),
      lastResumed: since(answer.lastResumedAt),
      lost: answer.lost ?? holding,
      doubled: answer.doubled ?? 0,
      completed: finished.acknowledged ?? 0,
      odd: { ...answer.odd, ...finished.odd },
    };
  });
}
