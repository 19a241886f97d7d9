import type { Bus } from "@nest/dispatch";
import type { CancelTimer, Clock } from "@nest/kit";
import { z } from "zod";
import type { Probes } from "./probes.ts";
import type { Roster } from "./roster.ts";

const JOINED = "relay joined";
const HOLDER = "holder of a task";
const PROBE = "probe of a socket";
/** Relays that join within this are told of together: a storm of them is a few messages, not thousands. */
const JOINED_TOLD_AFTER_MS = 50;
/** Identities named in one message. */
const MOST_NAMED = 500;
/** A replica that lives says at once that a socket is its own; on a busy machine it takes a second or two. */
const HOLDER_WITHIN_MS = 3000;
/** Beyond the time that a socket has to answer its own replica. */
const PROBE_SLACK_MS = 2000;

const Joined = z.array(z.string().max(256)).max(MOST_NAMED);
const Socket = z.object({ connection: z.string().max(64) });

export interface ElsewhereDeps {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly probeMs: number;
  readonly roster: Roster;
  readonly probes: Probes;
}

/** What this replica has to do with sockets of the hub's other replicas. */
export class Elsewhere {
  readonly #deps: ElsewhereDeps;
  #joined: string[] = [];
  #telling: CancelTimer | undefined;

  constructor(deps: ElsewhereDeps) {
    this.#deps = deps;
    const { bus, roster, probes } = deps;
    bus.on(JOINED, (body) => {
      const joined = Joined.safeParse(body);
      if (!joined.success) return;
      for (const older of joined.data.flatMap((identity) => roster.ofIdentity(identity))) void probes.ask(older);
    });
    /** Undefined when the socket is none of ours. */
    const asked = (body: unknown) => {
      const socket = Socket.safeParse(body);
      const session = socket.success ? roster.get(socket.data.connection) : undefined;
      return session === undefined ? undefined : probes.ask(session);
    };
    bus.answer(HOLDER, async (body) => (asked(body) === undefined ? undefined : true));
    bus.answer(PROBE, async (body) => asked(body));
  }

  /** A relay of this identity is here now: older sockets of it elsewhere are asked whether they live. */
  joined(identity: string): void {
    const { bus, clock } = this.#deps;
    if (bus.others === 0) return;
    this.#joined.push(identity);
    if (this.#joined.length >= MOST_NAMED) this.#tellJoined();
    else this.#telling ??= clock.after(JOINED_TOLD_AFTER_MS, () => this.#tellJoined());
  }

  /** Whether a socket of another replica lives. One whose replica does not answer does not either. */
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
