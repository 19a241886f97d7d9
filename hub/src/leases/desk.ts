import { type Durations, NO_ACTIVE_LEASE, RELAY_STOPPED } from "@nest/protocol";
import { afterCompletion, afterFailure, afterTrust, afterVerified, type Promotion } from "../contributors/standing.ts";
import {
  bookFailure,
  bookUncounted,
  bookUnverified,
  bookVerdict,
  bookVerified,
  bookVerifying,
  clearDrop,
} from "../queue/cooldown.ts";
import { type Admission, admit, type TierPolicy } from "./admit.ts";
import type { Command, Effect, Speaker, TaskReference } from "./commands.ts";
import { hasExpired, type Lease, renew, resume, speaksOf } from "./lease.ts";
import type { Ending, Ledger, Outcome } from "./ledger.ts";

/** An issue that could be handed out. */
export interface Candidate {
  readonly key: string;
  readonly repo: string;
  readonly number: number;
  readonly title: string;
  readonly url: string;
  readonly updatedAt: number;
}

/** The issues on offer, best first. The ledger has the last word on each. */
export interface Candidates {
  /** False until every monitored repository was read once: nothing is handed out on half a picture. */
  readonly isReady: boolean;
  offer(asker: Speaker, now: number): Iterable<Candidate>;
  /** What is known of these issues has changed. */
  touch(keys: ReadonlySet<string>, now: number): void;
}

/** The rules in force; read anew for each command. */
export interface DeskPolicy extends TierPolicy {
  readonly suspended: boolean;
  readonly promotion: Promotion;
}

export interface DeskParts {
  readonly ledger: Ledger;
  readonly candidates: Candidates;
  readonly policy: () => DeskPolicy;
  readonly times: Durations;
  /** A task id: opaque, unique for ever. */
  readonly newTaskId: (gen: number) => string;
  /** Whether an address is a pull request of this repository on our code host. */
  readonly isPullRequestOf: (prUrl: string, repo: string) => boolean;
}

const EXPIRED = "task lease expired (no progress within lease TTL)";
const ACCESS_REVOKED = "contribution access revoked";

type Of<Kind extends Command["kind"]> = Extract<Command, { kind: Kind }>;

/**
 * Decides commands, one after the other, over the ledger: the spec's table of lease transitions. No clock, socket or store in
 * it; what it answers is to be carried out only once the ledger's changes are durable.
 */
export class Desk {
  readonly #parts: DeskParts;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  /** Carries out one command at time `now` (ms) and says what follows from it. */
  handle(command: Command, now: number): Effect[] {
    const effects = this.#decide(command, now);
    this.refresh(now);
    return effects;
  }

  /** Tells the queue which issues to look at again. */
  refresh(now: number): void {
    const touched = this.#parts.ledger.touched();
    if (touched.size > 0) this.#parts.candidates.touch(touched, now);
  }

  #decide(command: Command, now: number): Effect[] {
    switch (command.kind) {
      case "ready":
        return this.#ready(command, now);
      case "accepted":
        return this.#accepted(command, now);
      case "progress":
        return this.#progress(command, now);
      case "completed":
        return this.#completed(command, now);
      case "failed":
        return this.#failed(command, now);
      case "declined":
        return this.#declined(command, now);
      case "joined":
        this.#note(command.contributorId, "joined", undefined, now, command.detail);
        return [];
      case "dropped":
        return this.#dropped(command, now);
      case "sweep":
        return this.#sweep(now);
      case "verified":
        return this.#verified(command, now);
      case "register":
        return this.#register(command, now);
      case "reissue":
        return this.#reissue(command, now);
      case "trust":
        return this.#trust(command, now);
      case "revoke":
        return this.#revoke(command, now);
      case "requeue":
        return this.#requeue(command, now);
      case "setting":
        return this.#setting(command, now);
    }
  }

  /** `ready`: gives up what this identity still holds, then asks for work. It always gets an answer. */
  #ready(command: Of<"ready">, now: number): Effect[] {
    const { ledger, times } = this.#parts;
    const { connection, contributorId, identity } = command;
    if (command.unasked === true) return this.#lookForWork(command, now).filter((effect) => effect.kind === "assign");
    for (const lease of ledger.leasesOfIdentity(identity)) {
      if (lease.connection !== undefined && lease.connection !== connection) continue;
      this.#end(lease, { outcome: "given_back" }, now);
      ledger.changeItem(lease.key, (item) => bookUncounted(item, "given_back", times, now));
      this.#note(contributorId, "released: gave the task back", lease, now);
    }
    return this.#lookForWork(command, now);
  }

  #lookForWork(command: Of<"ready">, now: number): Effect[] {
    const { ledger, candidates, times, newTaskId } = this.#parts;
    const { connection, contributorId, identity } = command;
    // One task at a time: what this identity holds on another live socket is not given up for it, so there is nothing to give.
    if (ledger.leasesOfIdentity(identity).length > 0)
      return [{ kind: "unavailable", connection, reason: "concurrency_limit" }];
    const contributor = ledger.contributor(contributorId);
    const admission: Admission =
      contributor === undefined
        ? { kind: "refused", reason: "tier_disabled" }
        : admit(contributor, this.#parts.policy(), ledger, candidates.isReady, times, now);
    if (admission.kind === "refused") {
      const { reason, retryAfterMs } = admission;
      return [{ kind: "unavailable", connection, reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }];
    }
    this.refresh(now);
    for (const candidate of candidates.offer(command, now)) {
      if (ledger.leaseOnItem(candidate.key) !== undefined) continue;
      const gen = ledger.nextGen();
      const lease: Lease = {
        taskId: newTaskId(gen),
        gen,
        contributorId,
        identity,
        repo: candidate.repo,
        number: candidate.number,
        key: candidate.key,
        title: candidate.title,
        url: candidate.url,
        itemUpdatedAt: candidate.updatedAt,
        connection,
        assignedAt: now,
        acceptedAt: undefined,
        expiresAt: now + times.leaseTtlMs,
      };
      ledger.grant(lease, admission.contributor);
      this.#note(contributorId, "picked up", lease, now);
      return [{ kind: "assign", connection, lease, ...(command.unasked === true ? { pushed: true } : {}) }];
    }
    return [{ kind: "unavailable", connection, reason: "no_matching_work" }];
  }

  /** `task_accepted`: of the task just assigned, or the first word of a resume (which is decided at its progress report). */
  #accepted(command: Of<"accepted">, now: number): Effect[] {
    const { ledger } = this.#parts;
    const lease = ledger.lease(command.taskId);
    const isOurs = speaksOf(lease, command) && !hasExpired(lease, now);
    if (isOurs && lease.connection === command.connection) {
      if (lease.acceptedAt !== undefined) return [];
      const accepted = { ...lease, acceptedAt: now };
      ledger.putLease(accepted);
      return [{ kind: "held", connection: command.connection, lease: accepted, resumed: false }];
    }
    if (lease?.connection === command.connection) return [];
    return isOurs ? [] : [this.#refuse(command)];
  }

  /** `task_progress`: renews the lease of a task that is held here, or adopts one by an exact claim. */
  #progress(command: Of<"progress">, now: number): Effect[] {
    const { ledger, times } = this.#parts;
    const lease = ledger.lease(command.taskId);
    if (lease !== undefined && lease.connection === command.connection) {
      if (speaksOf(lease, command) && !hasExpired(lease, now)) ledger.putLease(renew(lease, times.leaseTtlMs, now));
      return [];
    }
    const claim = resume(lease, command, command.connection, now);
    const holdsAnother = ledger
      .leasesOfIdentity(command.identity)
      .some((held) => held.connection === command.connection);
    if (claim.kind === "refused" || holdsAnother) return [this.#refuse(command)];
    return this.#adopt(claim.lease, lease?.connection, now);
  }

  #adopt(lease: Lease, ghost: string | undefined, now: number): Effect[] {
    const { ledger, times, policy } = this.#parts;
    const contributor = ledger.contributor(lease.contributorId);
    const { suspended, disabledTiers } = policy();
    if (
      contributor === undefined ||
      suspended ||
      contributor.tier === "revoked" ||
      disabledTiers.has(contributor.tier)
    ) {
      this.#end(lease, { outcome: "given_back", reason: "resume refused while suspended" }, now);
      ledger.changeItem(lease.key, (item) => bookUncounted(item, "given_back", times, now));
      this.#note(lease.contributorId, "released: connection lost", lease, now);
      return [{ kind: "revoke", connection: lease.connection ?? "", taskId: lease.taskId, reason: NO_ACTIVE_LEASE }];
    }
    ledger.putLease(renew(lease, times.leaseTtlMs, now));
    ledger.changeItem(lease.key, clearDrop);
    this.#note(lease.contributorId, "resumed", lease, now);
    const effects: Effect[] = [{ kind: "held", connection: lease.connection ?? "", lease, resumed: true }];
    if (ghost !== undefined)
      effects.push({
        kind: "revoke",
        connection: ghost,
        taskId: lease.taskId,
        reason: "resumed on a newer connection",
      });
    return effects;
  }

  /** `task_complete`: the lease ends, the issue is held, a named pull request is going to be verified. */
  #completed(command: Of<"completed">, now: number): Effect[] {
    const { ledger, times, isPullRequestOf } = this.#parts;
    const lease = this.#reported(command, now);
    if (lease === undefined) return [this.#ack(command)];
    const named = command.prUrl !== undefined;
    const pending = command.prUrl !== undefined && isPullRequestOf(command.prUrl, lease.repo);
    const verdict = command.verdict === "no_work_needed" || command.verdict === "blocked" ? command.verdict : undefined;
    this.#end(
      lease,
      {
        outcome: "completed",
        verdict: command.verdict,
        reason: command.verdictReason,
        prUrl: command.prUrl,
        prState: pending ? "pending" : named ? "refused" : "none",
      },
      now,
    );
    ledger.changeItem(lease.key, (item) => {
      if (pending) return bookVerifying(item, times, now);
      return verdict === undefined
        ? bookUnverified(item, times, now)
        : bookVerdict(item, verdict, lease.itemUpdatedAt, times, now);
    });
    const contributor = ledger.contributor(lease.contributorId);
    if (contributor !== undefined) ledger.putContributor({ ...afterCompletion(contributor), lastActiveAt: now });
    const detail =
      command.verdictReason ?? (named && !pending ? "the pull request named is not of this repository" : undefined);
    this.#note(
      lease.contributorId,
      verdict === undefined ? "completed" : `completed: ${verdict}`,
      lease,
      now,
      detail,
      command.prUrl,
    );
    const { taskId, contributorId, key, repo } = lease;
    const effects: Effect[] = [this.#ack(command), { kind: "released", connection: command.connection, taskId }];
    if (pending && command.prUrl !== undefined) {
      effects.push({
        kind: "verify",
        taskId,
        gen: lease.gen,
        contributorId,
        key,
        repo,
        prUrl: command.prUrl,
        completedAt: now,
      });
    }
    return effects;
  }

  /** `task_failed`: counted, unless the work had not begun or the relay was only stopped. */
  #failed(command: Of<"failed">, now: number): Effect[] {
    const { ledger, times } = this.#parts;
    const lease = this.#reported(command, now);
    if (lease === undefined) return [this.#ack(command)];
    const { reason, failureKind, permanent } = command;
    const stopped = reason === RELAY_STOPPED;
    const counted = lease.acceptedAt !== undefined && !stopped;
    this.#end(lease, { outcome: stopped ? "stopped" : "failed", reason, failureKind, permanent }, now);
    if (counted) {
      ledger.changeItem(lease.key, (item) => bookFailure(item, permanent, times, now));
      this.#countFailure(lease, now);
      this.#note(lease.contributorId, "failed", lease, now, reason);
    } else {
      ledger.changeItem(lease.key, (item) => bookUncounted(item, stopped ? "connection_lost" : "failed", times, now));
      this.#note(
        lease.contributorId,
        stopped ? "released: relay stopped" : "released: gave the task back",
        lease,
        now,
        reason,
      );
    }
    return [
      this.#ack(command),
      { kind: "released", connection: command.connection, taskId: lease.taskId },
      { kind: "failure", connection: command.connection, lease, reason, failureKind, permanent },
    ];
  }

  /** `task_declined`: given back before the work began; nobody's failure. */
  #declined(command: Of<"declined">, now: number): Effect[] {
    const { ledger, times } = this.#parts;
    const lease = this.#reported(command, now);
    if (lease === undefined) return [this.#ack(command)];
    this.#end(lease, { outcome: "declined", reason: command.reason }, now);
    ledger.changeItem(lease.key, (item) => bookUncounted(item, "given_back", times, now));
    this.#note(lease.contributorId, "released: gave the task back", lease, now, command.reason);
    return [this.#ack(command), { kind: "released", connection: command.connection, taskId: lease.taskId }];
  }

  /** A socket is gone: what it holds is kept until its expiry, and is nobody else's meanwhile. */
  #dropped(command: Of<"dropped">, now: number): Effect[] {
    const { ledger, times } = this.#parts;
    for (const lease of ledger.leasesOfIdentity(command.identity)) {
      if (lease.connection !== command.connection) continue;
      ledger.putLease({ ...lease, connection: undefined });
      ledger.changeItem(lease.key, (item) => bookUncounted(item, "connection_lost", times, now));
    }
    this.#note(command.contributorId, "left", undefined, now);
    return [];
  }

  /** The wedged-task backstop: with a live socket it counts, without one it was a drop. */
  #sweep(now: number): Effect[] {
    const { ledger, times } = this.#parts;
    const effects: Effect[] = [];
    const gone = [...ledger.liveLeases()].filter((lease) => hasExpired(lease, now));
    for (const lease of gone) {
      this.#end(lease, { outcome: "expired", reason: EXPIRED }, now);
      if (lease.connection === undefined) {
        this.#note(lease.contributorId, "released: connection lost", lease, now);
        continue;
      }
      ledger.changeItem(lease.key, (item) => bookFailure(item, false, times, now));
      this.#countFailure(lease, now);
      this.#note(lease.contributorId, "lease expired: auto-released", lease, now);
      effects.push({ kind: "revoke", connection: lease.connection, taskId: lease.taskId, reason: EXPIRED });
    }
    return effects;
  }

  /** The code host has spoken about a pull request: it counts once, whatever tasks name it. */
  #verified(command: Of<"verified">, now: number): Effect[] {
    const { ledger, times, policy } = this.#parts;
    const { taskId, gen, contributorId, key, prUrl, completedAt, because } = command;
    const verified = command.verdict === "verified";
    ledger.judgePullRequest({ taskId, gen, state: command.verdict, because });
    ledger.changeItem(key, (item) =>
      verified ? bookVerified(item, times, completedAt) : bookUnverified(item, times, completedAt),
    );
    const contributor = ledger.contributor(contributorId);
    if (contributor === undefined || !verified || ledger.isCounted(prUrl)) return [];
    ledger.countPullRequest(prUrl, gen);
    const after = afterVerified(contributor, policy().promotion);
    ledger.putContributor(after);
    this.#note(contributorId, "pull request verified", undefined, now, undefined, prUrl);
    if (after.tier === contributor.tier) return [];
    this.#note(contributorId, "promoted", undefined, now, after.tier);
    ledger.audit({
      at: now,
      actor: "hub",
      action: "promoted",
      subject: after.login,
      before: contributor.tier,
      after: after.tier,
    });
    return [{ kind: "standing", contributorId, tier: after.tier }];
  }

  #register(command: Of<"register">, now: number): Effect[] {
    const { ledger } = this.#parts;
    if (ledger.contributorByLogin(command.login) !== undefined) {
      return [{ kind: "refused", code: "taken", because: `${command.login} is registered already` }];
    }
    ledger.putContributor({
      id: command.contributorId,
      login: command.login,
      tokenDigest: command.tokenDigest,
      tier: "newcomer",
      registeredAt: now,
      lastActiveAt: undefined,
      grants: 0,
      completed: 0,
      verified: 0,
      failed: 0,
      promotionBase: 0,
      streak: 0,
      pausedUntil: 0,
    });
    this.#note(command.contributorId, "registered", undefined, now);
    return [{ kind: "done", released: [] }];
  }

  #reissue(command: Of<"reissue">, now: number): Effect[] {
    const { ledger } = this.#parts;
    const contributor = ledger.contributor(command.contributorId);
    if (contributor === undefined) return [{ kind: "refused", code: "not_found", because: "no such contributor" }];
    if (contributor.tier === "revoked") return [{ kind: "refused", code: "revoked", because: "access was revoked" }];
    ledger.putContributor({ ...contributor, tokenDigest: command.tokenDigest });
    ledger.audit({
      at: now,
      actor: contributor.login,
      action: "token reissued",
      subject: contributor.login,
      before: "[secret]",
      after: "[secret]",
    });
    return [
      { kind: "close", contributorId: contributor.id, reason: "a new registration token was issued" },
      { kind: "done", released: [] },
    ];
  }

  #trust(command: Of<"trust">, now: number): Effect[] {
    const { ledger } = this.#parts;
    const before = ledger.contributor(command.contributorId);
    if (before === undefined) return [{ kind: "refused", code: "not_found", because: "no such contributor" }];
    if (before.tier === "revoked" && command.tier !== "revoked") {
      return [{ kind: "refused", code: "revoked", because: "a revoked contributor stays revoked" }];
    }
    if (command.tier === "revoked") return this.#revoke({ ...command, kind: "revoke" }, now);
    const after = afterTrust(before, command.tier);
    ledger.putContributor(after);
    ledger.audit({
      at: now,
      actor: command.actor,
      action: "trust",
      subject: before.login,
      before: before.tier,
      after: after.tier,
    });
    if (after.tier !== before.tier) this.#note(before.id, "trust changed", undefined, now, after.tier);
    return [
      { kind: "standing", contributorId: before.id, tier: after.tier },
      { kind: "done", released: [] },
    ];
  }

  /** Revocation is for good and at once: held tasks are released, live sockets close. */
  #revoke(command: Of<"revoke">, now: number): Effect[] {
    const { ledger, times } = this.#parts;
    const before = ledger.contributor(command.contributorId);
    if (before === undefined) return [{ kind: "refused", code: "not_found", because: "no such contributor" }];
    const effects: Effect[] = [];
    const released: string[] = [];
    for (const lease of ledger.leasesOfContributor(before.id)) {
      this.#end(lease, { outcome: "revoked", reason: ACCESS_REVOKED }, now);
      ledger.changeItem(lease.key, (item) => bookUncounted(item, "requeued", times, now));
      released.push(lease.taskId);
      if (lease.connection !== undefined)
        effects.push({ kind: "revoke", connection: lease.connection, taskId: lease.taskId, reason: ACCESS_REVOKED });
    }
    if (before.tier !== "revoked") {
      ledger.putContributor({ ...before, tier: "revoked" });
      ledger.audit({
        at: now,
        actor: command.actor,
        action: "revoked",
        subject: before.login,
        before: before.tier,
        after: "revoked",
      });
      this.#note(before.id, "access revoked", undefined, now);
    }
    effects.push({ kind: "close", contributorId: before.id, reason: "access revoked" }, { kind: "done", released });
    return effects;
  }

  /** An operator takes back what a contributor holds: ten minutes' hold, nothing counted, not handed on by itself. */
  #requeue(command: Of<"requeue">, now: number): Effect[] {
    const { ledger, times } = this.#parts;
    const contributor = ledger.contributor(command.contributorId);
    if (contributor === undefined) return [{ kind: "refused", code: "not_found", because: "no such contributor" }];
    const identity = command.session === undefined ? undefined : `${contributor.id}#${command.session}`;
    const chosen = ledger
      .leasesOfContributor(contributor.id)
      .filter((lease) => command.taskId === undefined || lease.taskId === command.taskId)
      .filter((lease) => identity === undefined || lease.identity === identity);
    if (chosen.length === 0)
      return [{ kind: "refused", code: "not_found", because: "this contributor holds no such task" }];
    const reason = command.reason ?? "yanked by operator (released)";
    const effects: Effect[] = [];
    for (const lease of chosen) {
      this.#end(lease, { outcome: "requeued", reason }, now);
      ledger.changeItem(lease.key, (item) => bookUncounted(item, "requeued", times, now));
      this.#note(contributor.id, "yanked by operator", lease, now, command.reason);
      ledger.audit({
        at: now,
        actor: command.actor,
        action: "requeue",
        subject: `${contributor.login} ${lease.key}`,
        before: lease.taskId,
        after: reason,
      });
      if (lease.connection !== undefined)
        effects.push({ kind: "revoke", connection: lease.connection, taskId: lease.taskId, reason });
    }
    return [...effects, { kind: "done", released: chosen.map((lease) => lease.taskId) }];
  }

  /** One setting read, changed and audited in one step, so that two admins at once never undo each other. */
  #setting(command: Of<"setting">, now: number): Effect[] {
    const { ledger } = this.#parts;
    const { name, actor, action } = command;
    const change = command.change(ledger.setting(name));
    if (change.kind === "refused") return [{ kind: "refused", code: "taken", because: change.because }];
    if (change.kind === "unchanged") return [{ kind: "done", released: [] }];
    ledger.putSetting(name, change.value);
    if (change.audit !== undefined) ledger.audit({ at: now, actor, action, ...change.audit });
    if (change.activity !== undefined) ledger.note({ at: now, login: actor, ...change.activity });
    return [{ kind: "done", released: [] }];
  }

  /** The live, unexpired lease that a terminal report speaks of; it need not have been adopted by this socket first. */
  #reported(command: Speaker & TaskReference, now: number): Lease | undefined {
    const lease = this.#parts.ledger.lease(command.taskId);
    return speaksOf(lease, command) && !hasExpired(lease, now) ? lease : undefined;
  }

  #end(lease: Lease, ending: { outcome: Outcome } & Partial<Ending>, now: number): void {
    this.#parts.ledger.end({ prState: "none", ...ending, lease, endedAt: now });
  }

  #countFailure(lease: Lease, now: number): void {
    const contributor = this.#parts.ledger.contributor(lease.contributorId);
    if (contributor === undefined) return;
    this.#parts.ledger.putContributor(
      afterFailure(contributor, lease.acceptedAt ?? lease.assignedAt, this.#parts.times, now),
    );
  }

  #refuse(command: Speaker & TaskReference): Effect {
    return { kind: "revoke", connection: command.connection, taskId: command.taskId, reason: NO_ACTIVE_LEASE };
  }

  #ack(command: Speaker & TaskReference): Effect {
    return { kind: "ack", connection: command.connection, taskId: command.taskId, gen: command.gen ?? 0 };
  }

  #note(
    contributorId: string,
    action: string,
    lease: Lease | undefined,
    now: number,
    detail?: string,
    url?: string,
  ): void {
    const { ledger } = this.#parts;
    ledger.note({
      at: now,
      login: ledger.contributor(contributorId)?.login ?? contributorId,
      action,
      task: lease,
      url,
      detail,
    });
  }
}
