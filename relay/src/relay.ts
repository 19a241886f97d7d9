import type { AgentRun, AgentStart, Confinement } from "@nest/agents";
import { type CancelTimer, type Clock, type Environment, type Random, sentenceOf } from "@nest/kit";
import { type Durations, RELAY_STOPPED, type TransportTimes } from "@nest/protocol";
import type { RelayConfig } from "./config.ts";
import { confinementWord } from "./confinement.ts";
import { Gate, ownTroubleIn } from "./gate.ts";
import { meaningOf, withheldOf } from "./meaning.ts";
import { issueOf, Reports, workDetails } from "./outbox/reports.ts";
import { type Look, Readiness } from "./readiness.ts";
import type { KnownSecrets } from "./secrets.ts";
import type { Introduction } from "./session/auth.ts";
import type { Closed } from "./session/connection.ts";
import { ASKED_ELSEWHERE, BUSY, declined, progressOf, type Refusal, resume, STOPPING } from "./session/handover.ts";
import { isNameHeld } from "./session/name-lock.ts";
import { type AuthOk, Session, type SessionListener, type WorkMessage } from "./session/session.ts";
import { sessionLocks } from "./session/session-name.ts";
import { Standing } from "./standing.ts";
import type { StatusDetails, StatusFile } from "./status-file.ts";
import { tidied, unfitness } from "./task/fitness.ts";
import type { RunLedger } from "./task/leftovers.ts";
import { proofOf } from "./task/proof.ts";
import { type Assignment, Task, type TaskParts, type TaskResult } from "./task/task.ts";
import { Turns } from "./turns.ts";
import type { Voice } from "./voice.ts";

export interface RelayParts {
  readonly config: RelayConfig;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly random: Random;
  readonly numbers: Durations;
  readonly transport: TransportTimes;
  readonly introduction: Omit<Introduction, "trouble">;
  readonly secrets: KnownSecrets;
  readonly voice: Voice;
  /** Absent in interactive mode. */
  readonly statusFile: StatusFile | undefined;
  readonly ledger: RunLedger;
  /** What this machine was found to be at start, and how to look again. */
  readonly found: Look;
  readonly look: () => Promise<Look>;
  readonly confinement: Confinement;
  /** What a person types to watch the agent; undefined where nobody can. */
  readonly attach: string | undefined;
  readonly startAgent: (start: AgentStart) => Promise<AgentRun>;
}

/** A relay that stops has 8 s in all: its agent gets less time to leave than usual, the last report a moment to arrive. */
const STOPPING_GRACE_MS = 3000;
const LAST_ACK_MS = 1000;
const SAY_EVERY_MS = 1000;
/** What is amiss on this machine is looked at again this often (contract §8, Relay 10). */
const LOOK_EVERY_MS = 60_000;
const SHORTEST_LOOK_MS = 500;
/**
 * One contributor's relay: every hub, and at most one task among them all.
 *
 * A task begins with a hub's `task_assign` while nothing is in hand, and is accepted at once. It ends with a terminal report
 * (saved to the outbox, sent, kept until acknowledged), or silently when the hub revokes it; then the next hub in turn is
 * asked. After a reconnect a hub gets, in this order: the resume of a task of its own, the outbox, and only then `ready`.
 */
export class Relay implements SessionListener {
  readonly #parts: RelayParts;
  readonly #sessions: readonly Session[];
  readonly #turns: Turns;
  readonly #reports: Reports;
  readonly #standing: Standing;
  readonly #gate: Gate;
  #proof: Task | undefined;
  #inHand: { readonly task: Task; readonly session: Session } | undefined;
  /** The report of the task in hand, while it is on its way to disk and hub. */
  #reporting: Promise<void> | undefined;
  #stopping = false;

  constructor(parts: RelayParts) {
    this.#parts = parts;
    const { config, clock, random, numbers, transport, introduction, secrets, voice, statusFile } = parts;
    const { stateFolder } = config;
    const shared = { clock, random, numbers, transport, redaction: secrets, listener: this };
    const introduce = () => ({ ...introduction, trouble: this.#gate.trouble });
    this.#sessions = config.hubs.map((hub) => new Session(hub, { ...shared, introduction: introduce }));
    this.#turns = new Turns(this.#sessions, clock, numbers);
    const isInUse = (session: string) => isNameHeld(sessionLocks(stateFolder), session);
    const sessionName = introduction.session;
    this.#reports = new Reports({ stateFolder, sessionName, isInUse, clock, secrets, voice, statusFile });
    this.#standing = new Standing(voice, numbers);
    const everyMs = Math.max(SHORTEST_LOOK_MS, LOOK_EVERY_MS / config.clockScale);
    const readiness = new Readiness(parts.found, { clock, everyMs, look: parts.look, prove: () => this.#prove() });
    this.#gate = new Gate({
      readiness,
      sessions: this.#sessions,
      voice,
      standing: this.#standing,
      secrets,
      statusFile,
      isIdle: () => this.#inHand === undefined && !this.#stopping,
      onChange: () => this.#next(),
    });
  }

  /** Works until `stop` fires, or every hub has refused for good. */
  async run(stop: AbortSignal): Promise<"refused" | "stopped"> {
    const { clock } = this.#parts;
    const closing = new AbortController();
    this.#gate.open();
    const cancel: CancelTimer = clock.every(SAY_EVERY_MS, () => this.#sayStatus());
    const stopped = new Promise<void>((resolve) => {
      if (stop.aborted) resolve();
      stop.addEventListener("abort", () => resolve(), { once: true });
    }).then(async () => {
      await this.#stopWork();
      closing.abort();
    });
    const ends = await Promise.all(this.#sessions.map((session) => session.run(closing.signal)));
    cancel();
    this.#turns.cancel();
    this.#gate.close();
    if (stop.aborted) await stopped;
    return ends.every((end) => end === "refused") ? "refused" : "stopped";
  }

  onAuthenticated(session: Session, welcome: AuthOk): void {
    this.#standing.welcome(session, welcome, this.#parts.clock.now());
    this.#parts.voice.log.info(
      { hub: session.hub.host, contributor: welcome.contributor_id, tier: welcome.trust_tier },
      "connected",
    );
    this.#gate.welcome(session);
    this.#keep(this.#greet(session), "resuming");
  }

  /** Resume, outbox, ready: in this order (contract §8, Relay 5). */
  async #greet(session: Session): Promise<void> {
    if (this.#inHand?.session === session) {
      const { task } = this.#inHand;
      const { task_id } = task.assignment;
      this.#parts.voice.log.info({ hub: session.hub.host, task: task_id }, "resuming the task in hand");
      await resume(session, task);
    }
    this.#gate.sayWaiting();
    await this.#reports.replay(session);
    this.#turns.admit(session);
    this.#next();
  }

  onWork(session: Session, message: WorkMessage, asked: boolean): void {
    switch (message.type) {
      case "task_assign":
        this.#assigned(session, message, asked);
        return;
      case "task_unavailable": {
        this.#turns.unavailable(session, message.retry_after_s);
        this.#standing.limits(session, message.limits, this.#parts.clock.now());
        const detail = withheldOf(message);
        this.#standing.note(session, meaningOf(message), {
          until: this.#turns.nextAt(session),
          ...(detail === undefined ? {} : { detail }),
        });
        this.#next();
        return;
      }
      case "task_revoke":
        this.#revoked(session, message.task_id, message.reason);
        return;
      case "token_refresh":
        // Of the hub whose task is in hand, and of nobody else.
        if (this.#inHand?.session === session)
          this.#keep(this.#inHand.task.refresh(message.github_token), "renewing the credential");
        return;
      case "token_refresh_failed":
        this.#credentialFailed(session, message.task_id, message.reason);
        return;
      case "task_ack":
        this.#keep(this.#reports.acknowledge(session, message.task_id, message.task_gen), "clearing the outbox");
        return;
      case "notice":
        if (message.message !== undefined) this.#parts.voice.say(`hub ${session.hub.host}: ${message.message}`);
        // It may have told of another tier, and what keeps the relay from asking may be gone.
        if (message.permissions !== undefined) this.#next();
        return;
    }
  }

  onIgnored(session: Session, why: string): void {
    this.#parts.voice.log.info({ hub: session.hub.host, why }, "frame ignored");
  }

  onLost(session: Session, closed: Closed, retryMs: number): void {
    const why = closed.reason === "" ? `closed with ${closed.code}` : closed.reason;
    this.#turns.leave(session);
    this.#standing.note(session, `hub away (${why})`, { until: this.#parts.clock.now() + retryMs });
    const seconds = Math.ceil(retryMs / 1000);
    this.#parts.voice.log.warn(
      { hub: session.hub.host, code: closed.code, why, retry_ms: retryMs },
      `hub away, next try in ${seconds} s`,
    );
    this.#next();
  }

  onRefused(session: Session, reason: string, acceptedModels: readonly string[]): void {
    this.#parts.voice.say(`error: hub ${session.hub.host} refused this relay: ${reason}`);
    if (acceptedModels.length > 0) this.#parts.voice.say(`hint: accepted models: ${acceptedModels.join(", ")}`);
    this.#standing.note(session, `refused (${reason})`);
    // Nobody would take the report of its task: the relay is free for the other hubs.
    if (this.#inHand?.session === session) this.#keep(this.#inHand.task.end(), "ending the agent");
    this.#next();
  }

  #assigned(session: Session, given: Assignment, asked: boolean): void {
    const { task_id, task_gen } = given;
    const held = this.#inHand;
    const { assignment } = held?.task ?? {};
    if (assignment?.task_id === task_id && assignment.task_gen === task_gen && held?.session === session) {
      this.#keep(session.send({ type: "task_accepted", task_id, task_gen }), "accepting");
      return;
    }
    const refusal = this.#refusalOf(session, given, asked);
    if (refusal !== undefined) {
      this.#decline(session, given, refusal);
      return;
    }
    this.#turns.answered(session);
    this.#accept(session, tidied(given));
  }

  /** Why an assignment is not accepted; undefined when it is. */
  #refusalOf(session: Session, given: Assignment, asked: boolean): Refusal | undefined {
    if (this.#stopping) return STOPPING;
    if (this.#inHand !== undefined) return BUSY;
    const unfit = unfitness(given);
    if (unfit !== undefined) return { word: "malformed", message: unfit };
    const barred = this.#gate.refusalAt(session);
    if (barred !== undefined) return barred;
    // A hub that nobody asked does not get ahead of the one whose turn it is.
    return !asked && this.#turns.isAnotherAsked(session) ? ASKED_ELSEWHERE : undefined;
  }

  #decline(session: Session, given: Assignment, refusal: Refusal): void {
    this.#keep(session.send(declined(session, given, refusal)), "declining");
    if (this.#inHand !== undefined || this.#stopping) return;
    // What was declined is not asked for again at once.
    this.#turns.unavailable(session, undefined);
    this.#standing.note(session, `declined a task: ${refusal.message}`, { until: this.#turns.nextAt(session) });
    this.#next();
  }

  #accept(session: Session, assignment: Assignment): void {
    const { task_id, task_gen } = assignment;
    this.#standing.assigned(session, this.#parts.clock.now());
    const task = new Task(assignment, this.#taskParts(session));
    this.#inHand = { task, session };
    this.#keep(session.send({ type: "task_accepted", task_id, task_gen }), "accepting");
    this.#parts.voice.log.info({ hub: session.hub.host, task: task_id, issue: issueOf(assignment) }, "task accepted");
    this.#status("working", workDetails(assignment));
    this.#keep(this.#see(session, task), "working");
  }

  #taskParts(session: Session): TaskParts {
    return {
      ...this.#runParts(),
      awaitsCredential: session.capabilities.has("token_refresh"),
      permissions: () => session.permissions,
      isSignedIn: this.#gate.isSignedIn,
      hubHost: session.hub.host,
      onProgress: () => this.#keep(this.#reportProgress(), "reporting progress"),
    };
  }

  /** What every run of the agent on this machine has. */
  #runParts() {
    const { config, environment, clock, random, numbers, ledger, secrets, startAgent, voice, confinement } =
      this.#parts;
    return {
      config,
      environment,
      clock,
      numbers,
      ledger,
      secrets,
      binary: this.#gate.binary,
      confinement,
      startAgent,
      newMark: () => random.hex(12),
      onWarning: (sentence: string) => voice.say(`warning: ${sentence}`),
    };
  }

  /** Sees a task through to its end, reports, and asks for the next one. Whatever happens, the relay is free afterwards. */
  async #see(session: Session, task: Task): Promise<void> {
    let result: TaskResult | undefined;
    try {
      result = await task.run();
      if (this.#inHand?.task !== task || result === undefined) return;
      this.#reporting = this.#reports.finish(session, task.assignment, result);
      await this.#reporting;
    } finally {
      this.#parts.secrets.taskEnded(task);
      if (this.#inHand?.task === task) {
        this.#reporting = undefined;
        this.#inHand = undefined;
        if (result !== undefined) this.#gate.judge(result.outcome);
        this.#gate.sayWaiting();
      }
      this.#next();
    }
  }

  /** Runs the agent for a moment, for no hub; why it cannot work, undefined when it does. */
  async #prove(): Promise<string | undefined> {
    if (this.#stopping || this.#inHand !== undefined) return this.#gate.trouble;
    this.#proof = proofOf(this.#runParts());
    const result = await this.#proof.run().finally(() => {
      this.#proof = undefined;
    });
    return result === undefined ? undefined : ownTroubleIn(result.outcome);
  }

  #revoked(session: Session, taskId: string, reason: string | undefined): void {
    const held = this.#inHand;
    if (held === undefined || held.session !== session || held.task.assignment.task_id !== taskId) return;
    this.#parts.voice.log.warn({ task: taskId, reason }, "the hub took the task back");
    this.#keep(held.task.end(), "ending the agent");
  }

  /** Said to the person at the relay, and to the task: one that waits for its first credential stops waiting. */
  #credentialFailed(session: Session, taskId: string | undefined, reason: string): void {
    const held = this.#inHand;
    if (held?.session !== session || (taskId !== undefined && taskId !== held.task.assignment.task_id)) return;
    this.#parts.voice.log.warn(
      { hub: session.hub.host, task: held.task.assignment.task_id, reason },
      "the hub could not make or renew the task's credential",
    );
    held.task.withoutCredential(reason);
  }

  async #reportProgress(): Promise<void> {
    if (this.#inHand === undefined) return;
    const { task, session } = this.#inHand;
    await session.send(await progressOf(task));
  }

  /** Asks the hub whose turn it is, when nothing is in hand. */
  #next(): void {
    if (this.#inHand !== undefined || this.#stopping || this.#gate.trouble !== undefined) return;
    this.#turns.take(
      (session) => this.#keep(session.ask(), "asking for work"),
      () => this.#next(),
      (session) => this.#gate.refusalAt(session) === undefined,
    );
  }

  /** The agent's tree is ended, the hub is told, the last word gets a moment to arrive. */
  async #stopWork(): Promise<void> {
    this.#stopping = true;
    this.#turns.cancel();
    this.#gate.close();
    const proof = this.#proof?.end({ graceMs: STOPPING_GRACE_MS });
    const held = this.#inHand;
    if (this.#reporting !== undefined) await this.#reporting;
    else if (held !== undefined) {
      const { task, session } = held;
      this.#inHand = undefined;
      await task.end({ graceMs: STOPPING_GRACE_MS });
      const acked = this.#reports.acknowledgementOf(session, task.assignment);
      const outcome = { kind: "failed", failureKind: "environment", reason: RELAY_STOPPED } as const;
      await this.#reports.put(session, task.assignment, { outcome, tail: await task.tail() });
      if (session.isAuthenticated && session.capabilities.has("task_ack"))
        await Promise.race([acked, this.#parts.clock.sleep(LAST_ACK_MS)]);
    }
    await proof;
    await this.#parts.statusFile?.stop("stopped");
  }

  #status(state: "waiting" | "working" | "done" | "failed", details: StatusDetails = {}): void {
    this.#parts.statusFile?.set(state, details);
  }

  /** What the relay does now, where its agent is, and how to watch it. */
  #sayStatus(): void {
    const { clock, voice, confinement, attach } = this.#parts;
    const now = clock.now();
    if (this.#inHand === undefined) {
      const { sentence, change } = this.#standing.idling(this.#sessions, now, this.#gate.trouble);
      voice.status(sentence, change);
      return;
    }
    const { task, session } = this.#inHand;
    const watch = task.standstill() !== undefined && attach !== undefined ? `: ${attach}` : "";
    const about = `${watch}; ${confinementWord(confinement)}`;
    const { sentence, change } = this.#standing.working(task, session, now, about);
    voice.status(sentence, change);
  }

  /** Looks after a promise nobody waits for. */
  #keep(work: Promise<unknown>, doing: string): void {
    work.catch((thrown: unknown) =>
      this.#parts.voice.log.error({ why: sentenceOf(thrown), doing }, "unexpected failure"),
    );
  }
}
