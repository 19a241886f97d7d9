import { type Effect, type RelayIdentity, replicaOf } from "@nest/dispatch";
import { adminCommand, verdictOn } from "./admin-acts.ts";
import { aCrowd } from "./crowd.ts";
import { commandOf, forgedFrame, frameOf } from "./frames.ts";
import { inTurn } from "./in-turn.ts";
import { Invariants } from "./invariants.ts";
import { type Connection, Network } from "./network.ts";
import type { RelayModel, ToHub } from "./relay-model.ts";
import { Rules } from "./rules.ts";
import { Seen } from "./seen.ts";
import { SimulatedDisk, type Storage } from "./simulated-disk.ts";
import { SimulatedHub } from "./simulated-hub.ts";
import { ADVANCES, DEEDS, issuesOf, KINDS, MINUTE, REPOS, type Step } from "./steps.ts";
import { Trace } from "./trace.ts";
import { storageOf, type WorldOptions } from "./world-options.ts";

/** A hub and its relays over a faulty network: the real decider, batcher, ledger and queue; relays, network and disk are models. */
export class World {
  readonly disk = new SimulatedDisk();
  readonly invariants = new Invariants(this.disk);
  readonly relays: RelayModel[] = [];
  now = Date.UTC(2026, 0, 1);
  readonly #hubs: SimulatedHub[] = [];
  /** The one that writes at this moment. */
  #writing: SimulatedHub | undefined;
  readonly #network = new Network();
  #sent: { readonly frame: ToHub; readonly relayIdentity: RelayIdentity }[] = [];
  #replicas = 0;
  readonly #live = new Set<string>();
  readonly #storageOf: (replica: string) => Storage;
  #broken: unknown;
  readonly #rules = new Rules();
  readonly #failureKind: string;
  readonly #seen = new Seen();
  /** Kinds of things that happened at least once. */
  readonly events: ReadonlySet<string> = this.#seen.kinds;
  readonly #trace = new Trace();

  constructor(options: WorldOptions = {}) {
    this.#failureKind = options.failureKind ?? "task";
    this.#storageOf = storageOf(options, this.disk, this.#live, () => this.now);
    for (const { contributor, relays } of aCrowd(this.now)) {
      this.disk.contributors.set(contributor.id, contributor);
      this.relays.push(...relays);
    }
    this.disk.onCommit = (changes) => {
      try {
        const { ledger } = this.#writing ?? this.#hub(0);
        this.invariants.committed(changes, ledger, this.now, (connection) => this.#answers(connection));
      } catch (thrown) {
        // The batcher treats everything that a disk throws as a failed write; a broken invariant must get through.
        this.#broken = thrown;
        throw thrown;
      }
    };
    this.ready = this.#bootAll(options.hubs ?? 1);
  }

  /** What the hub decided, as one number: two runs that decide alike have the same. */
  get trace(): number {
    return this.#trace.value;
  }

  /** Resolves when every hub is up; undefined where they are at once. */
  readonly ready: Promise<void> | undefined;

  /** Does one step; a promise where the disk answers later. Throws (or rejects) when an invariant breaks. */
  step({ op, x, y }: Step): void | Promise<void> {
    const kind = KINDS[op % KINDS.length] ?? "flush";
    switch (kind) {
      case "deliver":
        return this.#deliver(x, y);
      case "flush":
        return this.#flush(this.#hub(x));
      case "act":
        return this.#act(x, y);
      case "advance":
        this.now += ADVANCES[x % ADVANCES.length] ?? 0;
        for (const hub of this.#hubs) hub.fireTimers();
        return;
      case "connect":
        return this.#connect(x);
      case "drop":
        return this.#drop(x, y);
      case "notice":
        return this.#noticeClosed(x);
      case "verify":
        return this.#verify(x, y);
      case "replay":
        return this.#replay(x, y);
      case "sweep":
        this.#hub(x).batcher.submit({ kind: "sweep" });
        return;
      case "push":
        return this.#push(x);
      case "rare":
        return this.#rare(x, y);
    }
  }

  /** No more faults: everybody connects, everything arrives. Work must flow again and every lease come to its end. */
  settle(): void | Promise<void> {
    this.#rules.open();
    this.disk.fault = undefined;
    return inTurn(this.#settling());
  }

  *#settling(): Generator<void | Promise<void>> {
    for (let round = 0; round < 6; round += 1) {
      for (const connection of this.#network.open()) {
        connection.abandoned = true;
        this.#closeAtHub(connection);
      }
      this.now += 2000;
      for (const hub of this.#hubs) hub.fireTimers();
      yield* this.#draining();
      for (const { ledger } of this.#hubs) this.invariants.heldByNobody(ledger);
      for (let nth = 0; nth < this.relays.length; nth += 1) this.#connect(nth, round + nth);
      yield* this.#draining();
      for (const relay of this.relays) this.#say(relay, relay.act("complete", round));
      yield* this.#draining();
      this.now += 31 * MINUTE;
      for (const hub of this.#hubs) {
        hub.fireTimers();
        hub.batcher.submit({ kind: "sweep" });
      }
      yield* this.#draining();
    }
    for (const relay of this.relays) this.#say(relay, relay.act("ask", 0));
    yield* this.#draining();
    for (const { ledger, queue } of this.#hubs)
      this.invariants.settled(ledger, queue, this.#crew(), this.#rules.policy, this.now);
  }

  /** Every relay with the socket that it is on. */
  #crew(): { readonly relay: RelayModel; readonly connection: string | undefined }[] {
    return this.relays.map((relay) => ({ relay, connection: this.#network.of(relay)?.id }));
  }

  #hub(x: number): SimulatedHub {
    const hub = this.#hubs[x % this.#hubs.length];
    if (hub === undefined) throw new Error("no hub is up");
    return hub;
  }

  #bootAll(count: number): Promise<void> | undefined {
    const boots = Array.from({ length: count }, (_, at) => this.#boot(at));
    return boots.some((boot) => boot instanceof Promise) ? Promise.all(boots).then(() => undefined) : undefined;
  }

  #boot(at: number): void | Promise<void> {
    this.#replicas += 1;
    const replica = this.#replicas.toString(16).padStart(8, "0");
    const booted = SimulatedHub.boot({
      replica,
      storage: this.#storageOf(replica),
      repos: new Map(REPOS.map((repo) => [repo, issuesOf(repo)])),
      now: () => this.now,
      policy: () => this.#rules.policy,
      listener: {
        effect: (effect) => this.#carryOut(effect, replica),
        committed: (changes) => this.#seen.changes(changes),
        lost: (connections) => this.#recall(connections, replica),
      },
    });
    const take = (hub: SimulatedHub) => {
      this.#hubs[at] = hub;
      this.#live.add(replica);
      this.invariants.booted(hub.ledger, this.now, (connection) => this.#live.has(replicaOf(connection)));
    };
    if (booted instanceof Promise) return booted.then(take);
    take(booted);
  }

  #flush(hub: SimulatedHub): void | Promise<void> {
    this.#writing = hub;
    // Replicas are told of each other's batches.
    if (this.#hubs.length > 1) hub.batcher.requestSync();
    const flushing = hub.batcher.flush();
    return flushing === undefined ? this.#flushed(hub) : flushing.then(() => this.#flushed(hub));
  }

  #flushed(hub: SimulatedHub): void | Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    if (this.disk.crashed) return this.#restart(hub);
    if (!hub.batcher.isBehind) this.invariants.consistent(hub.ledger);
  }

  /** A hub's process is gone: memory, sockets and unsent answers with it. The others notice, if there are any. */
  #restart(hub: SimulatedHub): void | Promise<void> {
    this.disk.crashed = false;
    this.#seen.add("crashed");
    for (const connection of this.#network.at(hub.replica)) this.#network.close(connection);
    this.#sent = [];
    this.#live.delete(hub.replica);
    const other = this.#hubs.find((one) => one !== hub);
    other?.batcher.submit({ kind: "replica_lost", replica: hub.replica });
    return this.#boot(this.#hubs.indexOf(hub));
  }

  *#draining(): Generator<void | Promise<void>> {
    for (let turn = 0; turn < 60; turn += 1) {
      let moved = false;
      for (const connection of this.#network.open()) {
        while (connection.toHub.length > 0) {
          this.#arrive(connection);
          moved = true;
        }
      }
      for (const hub of this.#hubs) yield this.#flush(hub);
      // The first replica has not received the last one's batch yet.
      for (const hub of this.#hubs.slice(0, -1)) yield this.#flush(hub);
      if (this.#network.hearAll()) moved = true;
      if (!moved) return;
    }
  }

  /** A replica that stalled closes its sockets whose replica was declared dead. */
  #recall(lost: readonly string[], replica: string): void {
    for (const connection of lost.map((id) => this.#network.get(id))) {
      if (connection?.hub.replica !== replica) continue;
      this.#seen.add("recalled");
      this.#closeAtHub(connection);
    }
  }

  #connect(x: number, y = x >>> 8): void {
    const relay = this.relays[x % this.relays.length];
    if (relay === undefined || this.disk.contributors.get(relay.contributorId)?.tier === "revoked") return;
    for (const older of this.#network.open()) if (older.relay === relay) older.abandoned = true;
    const hub = this.#hub(y);
    // Older sockets of the same name are asked whether they live; what the new one says waits for that.
    for (const older of this.#network.at(hub.replica))
      if (older.relayIdentity.identity === relay.identity && older.abandoned) this.#closeAtHub(older);
    this.#network.connect(hub, relay);
  }

  #deliver(x: number, y: number): void {
    const connection = this.#network.pick(x);
    if (connection === undefined) return;
    if (y % 2 === 0 && connection.toHub.length > 0) return this.#arrive(connection);
    const frame = connection.toRelay.shift();
    if (frame !== undefined && !connection.abandoned) connection.toHub.push(...connection.relay.hear(frame));
  }

  #arrive(connection: Connection): void {
    const frame = connection.toHub.shift();
    if (frame === undefined || connection.closedAtHub) return;
    this.#sent.push({ frame, relayIdentity: connection.relayIdentity });
    if (this.#sent.length > 200) this.#sent = this.#sent.slice(-100);
    this.#submit(frame, connection);
  }

  #submit(frame: ToHub, { hub, relayIdentity }: Connection): void {
    if (frame.type === "ready") {
      this.invariants.asked(relayIdentity);
      hub.batcher.submit(commandOf(frame, relayIdentity, this.#failureKind));
      return;
    }
    const { taskId, gen } = frame;
    this.invariants.said(relayIdentity, taskId, gen);
    hub.batcher.submit({
      ...commandOf(frame, relayIdentity, this.#failureKind),
      ...this.#silentHolder(hub, taskId, relayIdentity),
    });
  }

  /** Probes the socket that holds the task which a relay claims. */
  #silentHolder(hub: SimulatedHub, taskId: string, { connection }: RelayIdentity): { readonly silent?: string } {
    const holder = hub.ledger.lease(taskId)?.connection;
    if (holder === undefined || holder === connection || this.#answers(holder)) return {};
    const socket = this.#network.get(holder);
    if (socket !== undefined) this.#closeAtHub(socket);
    return { silent: holder };
  }

  /** Whether the relay at the other end of a socket is still there. */
  #answers(connection: string): boolean {
    return this.#network.get(connection)?.abandoned === false;
  }

  #act(x: number, y: number): void {
    const relay = this.relays[x % this.relays.length];
    if (relay === undefined) return;
    this.#say(relay, relay.act(DEEDS[y % DEEDS.length] ?? "ask", y >>> 4));
  }

  #say(relay: RelayModel, frames: readonly ToHub[]): void {
    this.#network.of(relay)?.toHub.push(...frames);
  }

  /** The network cuts a socket: some frames under way are lost, the hub notices now or later. */
  #drop(x: number, y: number): void {
    const connection = this.#network.pick(x);
    if (connection === undefined) return;
    connection.abandoned = true;
    connection.toHub.splice(y % (connection.toHub.length + 1));
    connection.toRelay.length = 0;
    if (y % 3 === 0) connection.relay.kill();
    if (y % 2 === 0) this.#closeAtHub(connection);
  }

  #noticeClosed(x: number): void {
    const gone = this.#network.open().filter((connection) => connection.abandoned);
    const connection = gone[x % Math.max(1, gone.length)];
    if (connection !== undefined) this.#closeAtHub(connection);
  }

  #closeAtHub(connection: Connection): void {
    if (!this.#network.close(connection)) return;
    const { hub, relayIdentity } = connection;
    hub.batcher.submit({ kind: "dropped", ...relayIdentity });
  }

  #verify(x: number, y: number): void {
    const pending = [...this.disk.pending.values()];
    const ending = pending[x % Math.max(1, pending.length)];
    if (ending === undefined) return;
    const command = verdictOn(ending, y);
    if (command !== undefined) this.#hub(y).batcher.submit(command);
  }

  /** An old frame comes again word for word, or one is forged: another generation, or somebody else's task. */
  #replay(x: number, y: number): void {
    const from = this.#network.pick(y);
    if (from === undefined || from.closedAtHub) return;
    const old = this.#sent[x % Math.max(1, this.#sent.length)];
    const frame = x % 2 === 0 ? old?.frame : forgedFrame(x, y, [...this.disk.leases.values()], from.relay.identity);
    if (frame !== undefined && frame.type !== "ready") this.#submit(frame, from);
  }

  #push(x: number): void {
    const connection = this.#network.pick(x);
    if (connection !== undefined && !connection.closedAtHub)
      connection.hub.batcher.submit({ kind: "ready", unasked: true, ...connection.relayIdentity });
  }

  #rare(x: number, y: number): void | Promise<void> {
    const relay = this.relays[y % this.relays.length];
    if (relay === undefined) return;
    const { contributorId } = relay;
    if (x % 24 < 9) {
      const fault = (["crash before", "crash after", x % 2 === 0 ? "refuse" : "lose the answer"] as const)[
        Math.floor((x % 24) / 3)
      ];
      this.disk.fault = fault;
      return;
    }
    switch (x % 24) {
      case 9:
      case 10:
      case 13:
      case 14: {
        const command = adminCommand(x % 24 < 11 ? 0 : (x % 24) - 11, y, contributorId);
        if (command !== undefined) this.#hub(y).batcher.submit(command);
        return;
      }
      case 11:
        this.#rules.suspended = !this.#rules.suspended;
        return;
      case 12:
        return this.#rules.switchTier("contributor");
      case 15: {
        // The machine restarts with its wall clock a day off.
        this.now += (y % 2 === 0 ? 1 : -1) * (y % 86_400_000);
        this.disk.crashed = true;
        this.invariants.clockJumped();
        return this.#flush(this.#hub(x >>> 8));
      }
      case 16: {
        // A replica that only stalled is declared dead.
        const [writer, other] = [this.#hub(y), this.#hub(y + 1)];
        if (writer !== other) writer.batcher.submit({ kind: "replica_lost", replica: other.replica });
        return;
      }
      default:
        return relay.kill();
    }
  }

  /** Carries an effect out on the sockets of `replica`. */
  #carryOut(effect: Effect, replica: string): void {
    this.#trace.fold(effect);
    this.#seen.effect(effect);
    if (this.#rules.suspended) this.#seen.add("suspended");
    this.invariants.carriedOut(effect, this.now);
    if (effect.kind === "close") {
      for (const connection of this.#network.at(replica))
        if (connection.relay.contributorId === effect.contributorId) this.#closeAtHub(connection);
      return;
    }
    if (!("connection" in effect)) return;
    const connection = this.#network.get(effect.connection);
    // Only a socket's own replica can send to it.
    if (connection === undefined || replica !== connection.hub.replica) return;
    if (effect.kind === "resend_required") return this.#closeAtHub(connection);
    const frame = frameOf(effect);
    if (frame !== undefined) connection.toRelay.push(frame);
  }
}
