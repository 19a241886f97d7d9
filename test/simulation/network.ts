import type { RelayIdentity } from "@nest/dispatch";
import type { RelayModel, ToHub, ToRelay } from "./relay-model.ts";
import type { SimulatedHub } from "./simulated-hub.ts";

/** One socket between a relay and a hub, with the frames under way on it. */
export interface Connection {
  readonly id: string;
  /** The hub, or the replica of it, at which it is. */
  readonly hub: SimulatedHub;
  readonly relay: RelayModel;
  readonly relayIdentity: RelayIdentity;
  readonly toHub: ToHub[];
  readonly toRelay: ToRelay[];
  /** True when the relay has dropped it; frames already on their way may still arrive. */
  abandoned: boolean;
  /** True when the hub knows that it is gone. */
  closedAtHub: boolean;
}

/** The sockets of a world: those that a hub knows, and those that frames still go through. */
export class Network {
  readonly #known = new Map<string, Connection>();
  readonly #open: Connection[] = [];

  /** A relay has a new socket at a hub; it begins with what it says when it is connected. */
  connect(hub: SimulatedHub, relay: RelayModel): void {
    const id = hub.newConnection();
    const { contributorId, identity } = relay;
    const connection: Connection = {
      id,
      hub,
      relay,
      relayIdentity: { connection: id, contributorId, identity },
      toHub: relay.connected(),
      toRelay: [],
      abandoned: false,
      closedAtHub: false,
    };
    this.#known.set(id, connection);
    this.#open.push(connection);
  }

  /** The socket that a relay is on. */
  of(relay: RelayModel): Connection | undefined {
    return this.#open.find((one) => one.relay === relay && !one.abandoned);
  }

  /** Delivers all frames on their way to relays. Returns whether there were any. */
  hearAll(): boolean {
    let moved = false;
    for (const connection of this.open()) {
      for (let frame = connection.toRelay.shift(); frame !== undefined; frame = connection.toRelay.shift()) {
        connection.toHub.push(...connection.relay.hear(frame));
        moved = true;
      }
    }
    return moved;
  }

  /** A socket as its hub knows it. */
  get(id: string): Connection | undefined {
    return this.#known.get(id);
  }

  /** The sockets that a replica knows, or all of them. */
  at(replica: string | undefined): Connection[] {
    return [...this.#known.values()].filter(({ hub }) => replica === undefined || hub.replica === replica);
  }

  /** Sockets through which frames go, as they are now. */
  open(): Connection[] {
    return [...this.#open];
  }

  /** One of them, chosen by a number. */
  pick(x: number): Connection | undefined {
    return this.#open[x % Math.max(1, this.#open.length)];
  }

  /** Cuts a socket. Returns whether its hub did not know yet that it is gone. */
  close(connection: Connection): boolean {
    const at = this.#open.indexOf(connection);
    if (at !== -1) this.#open.splice(at, 1);
    if (connection.closedAtHub) return false;
    connection.closedAtHub = true;
    connection.abandoned = true;
    this.#known.delete(connection.id);
    return true;
  }
}
