import type {
  Changes,
  Contributor,
  DeciderPolicy,
  Effect,
  Ending,
  Lease,
  Ledger,
  Queue,
  RelayIdentity,
} from "@nest/dispatch";
import { defaultTierLimits, durations } from "@nest/protocol";
import type { RelayModel } from "./relay-model.ts";
import type { SimulatedDisk } from "./simulated-disk.ts";

/** A promise of the hub that did not hold. */
export class Broken extends Error {}

/** Relays with the sockets that they are on. */
type Crew = readonly { readonly relay: RelayModel; readonly connection: string | undefined }[];

/** Whether a relay's own report ended a task this way. */
function wasReported(outcome: Ending["outcome"]): boolean {
  return outcome === "completed" || outcome === "failed" || outcome === "declined";
}

function check(holds: boolean, promise: string): void {
  if (!holds) throw new Broken(promise);
}

/** What the hub promises, checked from outside at every step, against what is durable. */
export class Invariants {
  readonly #disk: SimulatedDisk;
  #lastGen = 0;
  readonly #completions = new Map<string, number>();
  readonly #said = new Map<string, Set<string>>();
  /** Sockets, and machines, that asked for work at least once. */
  readonly #asked = new Set<string>();
  /** Assignments since the clock last jumped: limits count per time, which is meaningless across a jump. */
  #grants = new Map<string, { readonly at: number; readonly tier: Contributor["tier"] }[]>();

  constructor(disk: SimulatedDisk) {
    this.#disk = disk;
  }

  /** A relay reports on a task: only the right contributor with the right generation may change it. */
  said({ contributorId, connection }: RelayIdentity, taskId: string, gen: number | undefined): void {
    const said = this.#said.get(taskId) ?? new Set();
    said.add(`${contributorId} ${gen}`).add(connection);
    this.#said.set(taskId, said);
  }

  /** A relay asks for work. */
  asked({ connection, identity }: RelayIdentity): void {
    this.#asked.add(connection).add(identity);
  }

  clockJumped(): void {
    this.#grants = new Map();
  }

  /** A batch is being committed: `ledger` already holds what follows from it. */
  committed(changes: Changes, ledger: Ledger, now: number, answers: (connection: string) => boolean): void {
    this.#keepsSiblings(changes, answers);
    for (const [taskId, lease] of changes.leases) {
      if (!changes.granted.has(taskId)) continue;
      check(lease.gen > this.#lastGen, `generation ${lease.gen} of ${taskId} is not above ${this.#lastGen}`);
      this.#lastGen = lease.gen;
      check(!this.#disk.ended.has(taskId), `${taskId} was ended and lives again`);
      this.#withinLimits(lease, changes.contributors.get(lease.contributorId)?.tier, now);
    }
    for (const [taskId, lease] of changes.leases) {
      check(!this.#disk.ended.has(taskId), `ended ${taskId} was written as live`);
      const before = this.#disk.leases.get(taskId);
      if (before === undefined || lease.expiresAt <= before.expiresAt) continue;
      check(now < before.expiresAt, `${taskId} was extended after it expired`);
      check(this.#wasSaid(lease), `${taskId} was extended by a word of another generation or identity`);
    }
    for (const { lease, outcome } of changes.endings) {
      check(!this.#disk.ended.has(lease.taskId), `${lease.taskId} ended twice`);
      check(
        !wasReported(outcome) || this.#wasSaid(lease),
        `${lease.taskId} was ended by a report of another generation or identity`,
      );
      if (outcome === "completed")
        this.#completions.set(lease.contributorId, (this.#completions.get(lease.contributorId) ?? 0) + 1);
      if (outcome === "given_back" || outcome === "requeued" || outcome === "declined" || outcome === "stopped") {
        const before = this.#disk.items.get(lease.key)?.failures ?? 0;
        const after = changes.items.get(lease.key)?.failures ?? before;
        const counted = changes.endings.filter(
          (other) => other.lease.key === lease.key && (other.outcome === "failed" || other.outcome === "expired"),
        ).length;
        check(after <= before || counted > 0, `${outcome} of ${lease.key} counted as a failure`);
      }
    }
    for (const [url, gen] of changes.counted) {
      check(!this.#disk.counted.has(url), `${url} counted twice (now by generation ${gen})`);
    }
    const keys = new Set<string>();
    const connections = new Set<string>();
    for (const { key, connection } of ledger.liveLeases()) {
      check(!keys.has(key), `${key} has two live leases`);
      keys.add(key);
      if (connection === undefined) continue;
      check(!connections.has(connection), `${connection} holds two live leases`);
      connections.add(connection);
    }
    this.#withinConcurrency(changes, ledger);
  }

  /** Nobody else gets a machine's task while the machine answers, and nobody else ever gets a named machine's task. */
  #keepsSiblings(changes: Changes, answers: (connection: string) => boolean): void {
    for (const [taskId, { connection }] of changes.leases) {
      const holder = this.#disk.leases.get(taskId)?.connection;
      if (holder === undefined || connection === undefined || holder === connection) continue;
      check(!answers(holder), `${taskId} was taken from a machine that has it in hand`);
    }
    for (const { lease, outcome } of changes.endings) {
      const before = this.#disk.leases.get(lease.taskId);
      if (before === undefined || !(outcome === "given_back" || wasReported(outcome))) continue;
      const { connection: holder, identity } = before;
      const byItself = (connection: string) =>
        outcome === "given_back" ? this.#asked.has(connection) : this.#said.get(lease.taskId)?.has(connection) === true;
      check(
        holder === undefined || !answers(holder) || byItself(holder),
        `${lease.taskId} was ended (${outcome}) by another machine than the one that has it in hand`,
      );
      check(
        outcome !== "given_back" || !identity.includes("#") || this.#asked.has(identity),
        `${lease.taskId} of ${identity} was given up by another machine`,
      );
    }
  }

  #withinConcurrency(changes: Changes, ledger: Ledger): void {
    for (const taskId of changes.granted.keys()) {
      const id = changes.leases.get(taskId)?.contributorId ?? "";
      const tier = changes.contributors.get(id)?.tier;
      // The tier changed in this batch, so it is unknown which limit applied.
      if (tier === undefined || tier === "revoked" || tier !== this.#disk.contributors.get(id)?.tier) continue;
      const most = defaultTierLimits[tier].max_concurrent;
      check(
        most === 0 || ledger.heldBy(id) <= most,
        `${id} holds ${ledger.heldBy(id)} tasks, ${tier}s may hold ${most}`,
      );
    }
  }

  /** After a flush, memory and disk agree. */
  consistent(ledger: Ledger): void {
    check(
      ledger.leaseCount === this.#disk.leases.size,
      `memory has ${ledger.leaseCount} leases, the disk ${this.#disk.leases.size}`,
    );
    for (const [id, contributor] of this.#disk.contributors) {
      check(
        ledger.contributor(id)?.completed === contributor.completed,
        `${id}: completions in memory differ from the disk's`,
      );
      check(
        (this.#completions.get(id) ?? 0) === contributor.completed,
        `${id}: ${contributor.completed} completions counted for ${this.#completions.get(id) ?? 0} tasks`,
      );
    }
  }

  /** An answer is sent: what it says must be on disk already. */
  carriedOut(effect: Effect, now: number): void {
    if (effect.kind === "assign") {
      const { taskId, gen } = effect.lease;
      check(
        this.#disk.leases.get(taskId)?.gen === gen || this.#disk.ended.has(taskId),
        `${taskId} was assigned before it was durable`,
      );
    }
    if (effect.kind === "credential_due") {
      const durable = this.#disk.leases.get(effect.lease.taskId);
      check(
        durable !== undefined || this.#disk.ended.has(effect.lease.taskId),
        `${effect.lease.taskId} is held and not durable`,
      );
      check(durable === undefined || durable.expiresAt > now, `${effect.lease.taskId} was given on past its expiry`);
    }
  }

  /** After a boot: every durable lease is there, with its generation, and lives no longer than one lifetime from now. */
  booted(ledger: Ledger, now: number, isLive: (connection: string) => boolean): void {
    for (const [taskId, durable] of this.#disk.leases) {
      const lease = ledger.lease(taskId);
      check(lease?.gen === durable.gen, `${taskId} was lost by a restart`);
      check(
        lease === undefined || lease.expiresAt <= now + durations.leaseTtlMs,
        `${taskId} was stretched by a restart`,
      );
      const connection = lease?.connection;
      check(connection === undefined || isLive(connection), `${taskId} is held by a socket of another life`);
    }
  }

  /** Every socket is gone and everything is written: no lease may still name a socket. */
  heldByNobody(ledger: Ledger): void {
    for (const { taskId, connection } of ledger.liveLeases())
      check(connection === undefined, `${taskId} is held by ${connection}, which is gone`);
  }

  /** The world has settled: nothing is stuck. */
  settled(ledger: Ledger, queue: Queue, crew: Crew, policy: DeciderPolicy, now: number): void {
    queue.wake(now);
    for (const { relay, connection } of crew) {
      const contributor = ledger.contributor(relay.contributorId);
      if (contributor === undefined || contributor.tier === "revoked") continue;
      check(
        relay.outbox.length === 0,
        `${relay.identity} keeps ${relay.outbox.length} reports that nobody acknowledged`,
      );
      const lease = ledger
        .leasesOfContributor(relay.contributorId)
        .find((one) => connection !== undefined && one.connection === connection);
      check(
        lease?.taskId === relay.task?.taskId,
        `${relay.identity} works on ${relay.task?.taskId}, the hub thinks ${lease?.taskId}`,
      );
      if (relay.task !== undefined || queue.actionable === 0 || now < contributor.pausedUntil) continue;
      check(
        this.#isLimited(contributor, ledger, policy, now),
        `${relay.identity} is idle although ${queue.actionable} issues are on offer`,
      );
    }
    for (const entry of queue.entries()) {
      if (entry.withheld?.reason === "leased")
        check(ledger.leaseOnItem(entry.key) !== undefined, `${entry.key} is withheld for a lease that is not there`);
    }
  }

  #wasSaid(lease: Lease): boolean {
    return this.#said.get(lease.taskId)?.has(`${lease.contributorId} ${lease.gen}`) ?? false;
  }

  #isLimited(contributor: Contributor, ledger: Ledger, policy: DeciderPolicy, now: number): boolean {
    if (contributor.tier === "revoked") return true;
    const limits = policy.limits[contributor.tier];
    if (limits.max_concurrent > 0 && ledger.heldBy(contributor.id) >= limits.max_concurrent) return true;
    const grants = this.#disk.grants.get(contributor.id) ?? [];
    const inWindow = (windowMs: number) => grants.filter((at) => at > now - windowMs).length;
    return (
      (limits.max_per_hour > 0 && inWindow(durations.hourWindowMs) >= limits.max_per_hour) ||
      (limits.max_per_day > 0 && inWindow(durations.dayWindowMs) >= limits.max_per_day)
    );
  }

  /** `tierAfter` is the tier at the end of the batch; if it changed within the batch, it is unknown which limit applied. */
  #withinLimits(lease: Lease, tierAfter: Contributor["tier"] | undefined, now: number): void {
    const contributor = this.#disk.contributors.get(lease.contributorId);
    if (contributor === undefined || contributor.tier === "revoked") return;
    const grants = this.#grants.get(contributor.id) ?? [];
    if (tierAfter !== contributor.tier) grants.push({ at: now, tier: "revoked" });
    grants.push({ at: now, tier: contributor.tier });
    if (grants.length > 400) grants.splice(0, 100);
    this.#grants.set(contributor.id, grants);
    // A limit applies only while the tier does: only windows spent wholly in this tier are checked.
    const { max_per_hour, max_per_day } = defaultTierLimits[contributor.tier];
    for (const [limit, windowMs] of [
      [max_per_hour, durations.hourWindowMs],
      [max_per_day, durations.dayWindowMs],
    ] as const) {
      const inside = grants.filter(({ at }) => at > now - windowMs);
      if (limit === 0 || inside.some(({ tier }) => tier !== contributor.tier)) continue;
      check(inside.length <= limit, `${contributor.id} was given ${inside.length} tasks in a window of ${limit}`);
    }
  }
}
