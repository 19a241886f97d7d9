import type { Bus } from "@nest/dispatch";
import type { CancelTimer, Clock } from "@nest/kit";
import { z } from "zod";
import type { Probes } from "./probes.ts";
import type { Roster } from "./roster.ts";

const JOINED = "relay joined";
const HOLDER = "holder of a task";
const PROBE = "probe of a socket";
/**
 * Relays that join within this time are announced in one message: a reconnect storm becomes a few messages, not thousands.
 */
const JOINED_TOLD_AFTER_MS = 50;
/** Maximum number of identities in one message. */
const MOST_NAMED = 500;
/** Time for a replica to answer that it has a connection; a busy machine takes a second or two. */
const HOLDER_WITHIN_MS = 3000;
/** Time for the answer to travel, on top of the time that a connection has to answer its own replica. */
const PROBE_SLACK_MS = 2000;

const Joined = z.array(z.string().max(256)).max(MOST_NAMED);
const Socket = z.object({ connection: z.string().max(64) });

export interface OtherReplicasDeps {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly probeMs: number;
  readonly roster: Roster;
  readonly probes: Probes;
}

/** Asks the hub's other replicas about their connections, and answers their questions. */
export class OtherReplicas {
  readonly #deps: OtherReplicasDeps;
  #joined: string[] = [];
  #telling: CancelTimer | undefined;

  constructor(deps: OtherReplicasDeps) {
    this.#deps = deps;
    const { bus, roster, probes } = deps;
    bus.on(JOINED, (body) => {
      const joined = Joined.safeParse(body);
      if (!joined.success) return;
      for (const older of joined.data.flatMap((identity) => roster.ofIdentity(identity))) void probes.ask(older);
    });
    /** Pings a connection of this replica; undefined when this replica does not have it. */
    const asked = (body: unknown) => {
      const socket = Socket.safeParse(body);
      const session = socket.success ? roster.get(socket.data.connection) : undefined;
      return session === undefined ? undefined : probes.ask(session);
    };
    bus.answer(HOLDER, async (body) => (asked(body) === undefined ? undefined : true));
    bus.answer(PROBE, async (body) => asked(body));
  }

  /** Announces a relay that joined here, so that other replicas ping older connections of the same identity. */
  joined(identity: string): void {
    const { bus, clock } = this.#deps;
    if (bus.others === 0) return;
    this.#joined.push(identity);
    if (this.#joined.length >= MOST_NAMED) this.#tellJoined();
    else this.#telling ??= clock.after(JOINED_TOLD_AFTER_MS, () => this.#tellJoined());
  }

  /** Whether a connection of another replica is alive; false also when that replica does not answer. */
  async lives(connection: string): Promise<boolean> {
    const { bus, probeMs } = this.#deps;
    const ask = (topic: string, withinMs: number) =>
      bus.ask(topic, { connection }, { withinMs, enough: 1 }).catch(() => []);
    const [isHeld] = await ask(HOLDER, HOLDER_WITHIN_MS);
    if (isHeld !== true) return false;
    const [isAlive] = await ask(PROBE, probeMs + PROBE_SLACK_MS);
    return isAlive === true;
  }

  #tellJoined(): void {
    const joined = this.#joined;
    this.#joined = [];
    this.#telling?.();
    this.#telling = undefined;
    void this.#deps.bus.tell(JOINED, joined).catch(() => undefined);
  }
}
