import { confinementWord } from "@nest/agents";
import { type CancelTimer, sentenceOf } from "@nest/kit";
import { RELAY_STOPPED } from "@nest/protocol";
import { meaningOf, withheldOf } from "./console/meaning.ts";
import { Gate, ownTroubleIn } from "./gate.ts";
import {
  ASKED_ELSEWHERE,
  acceptance,
  answersDue,
  BUSY,
  declined,
  progressOf,
  type Refusal,
  resume,
  STOPPING,
  stoppingWords,
} from "./handover.ts";
import { HubRotation } from "./hub-rotation.ts";
import { HubStatus } from "./hub-status.ts";
import { isNameHeld } from "./name/name-lock.ts";
import { sessionLocks } from "./name/session-name.ts";
import { Readiness } from "./readiness.ts";
import type { RelayDeps } from "./relay-deps.ts";
import { issueOf, Reports, workDetails } from "./reports.ts";
import type { Closed } from "./session/connection.ts";
import { type AuthOk, REFUSED_FOR_NOW, Session, type SessionListener, type WorkMessage } from "./session/session.ts";
import { openWebSocket } from "./session/wire.ts";
import { tidied, unfitness } from "./task/fitness.ts";
import { proofOf } from "./task/proof.ts";
import { type Assignment, Task, type TaskDeps, type TaskResult } from "./task/task.ts";

/** A stopping relay has 8 s in all: its agent gets less time than usual to end, and the last report a moment to arrive. */
const STOPPING_GRACE_MS = 3000;
const LAST_ACK_MS = 1000;
const SAY_EVERY_MS = 1000;
/**
 * One contributor's relay: every hub, and at most one task among them all.
 *
 * A task begins with a hub's `task_assign` while nothing is in hand, and is accepted at once. It ends with a terminal report
 * (saved to the outbox, sent, kept until acknowledged), or silently when the hub revokes it; then the next hub in turn is
 * asked. After a reconnect a hub gets, in this order: the resume of a task of its own, the outbox, and only then `ready`.
 */
export class Relay implements SessionListener {
  readonly #deps: RelayDeps;
  readonly #sessions: readonly Session[];
  readonly #rotation: HubRotation;
  readonly #reports: Reports;
  readonly #hubStatus: HubStatus;
  readonly #gate: Gate;
  #proof: Task | undefined;
  #inHand: { readonly task: Task; readonly session: Session } | undefined;
  /** Saving and sending the report of the task in hand. */
  #reporting: Promise<void> | undefined;
  #stopping = false;

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    const { config, clock, random, numbers, transport, introduction, secrets, console, statusFile } = deps;
    const { stateFolder } = config;
    const shared = { clock, random, numbers, transport, redaction: secrets, logins: deps.logins, listener: this };
    const introduce = () => ({ ...introduction, trouble: this.#gate.trouble });
    this.#sessions = config.hubs.map(
      (hub) => new Session(hub, { ...shared, openWire: openWebSocket, introduction: introduce }),
    );
    this.#rotation = new HubRotation(this.#sessions, clock, numbers);
    const isInUse = (session: string) => isNameHeld(sessionLocks(stateFolder), session);
    const outbox = { stateFolder, sessionName: introduction.session, isInUse };
    this.#reports = new Reports({ ...outbox, clock, secrets, console, statusFile });
    this.#hubStatus = new HubStatus(console, numbers);
    const { clockScale } = config;
    const readiness = new Readiness(deps.found, { clock, clockScale, look: deps.look, prove: () => this.#prove() });
    this.#gate = new Gate({
      readiness,
      sessions: this.#sessions,
      console,
      hubStatus: this.#hubStatus,
      secrets,
      statusFile,
      isIdle: () => this.#inHand === undefined && !this.#stopping,
      onChange: () => this.#next(),
    });
  }

  /** Works until `stop` fires, or every hub has refused for good. */
  async run(stop: AbortSignal): Promise<"refused" | "stopped"> {
    const { clock } = this.#deps;
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
    this.#rotation.cancel();
    this.#gate.close();
    if (stop.aborted) await stopped;
    return ends.every((end) => end === "refused") ? "refused" : "stopped";
  }

  onAuthenticated(session: Session, welcome: AuthOk): void {
    this.#hubStatus.welcome(session, welcome, this.#deps.clock.now());
    this.#deps.console.log.info(
      { hub: session.hub.host, contributor: welcome.contributor_id, tier: welcome.trust_tier },
      "connected",
    );
    this.#gate.welcome(session);
    this.#keep(this.#greet(session), "resuming");
  }

  /** Sends the resume, then the outbox, and only then a `ready`: a `ready` gives up what the hub still has on record for this relay. */
  async #greet(session: Session): Promise<void> {
    if (this.#inHand?.session === session) {
      const { task } = this.#inHand;
      const { task_id } = task.assignment;
      this.#deps.console.log.info({ hub: session.hub.host, task: task_id }, "resuming the task in hand");
      await resume(session, task);
    }
    this.#gate.sayWaiting();
    await this.#reports.replay(session);
    this.#rotation.admit(session);
    this.#next();
  }

  onWork(session: Session, message: WorkMessage, asked: boolean): void {
    switch (message.type) {
      case "task_assign":
        this.#assigned(session, message, asked);
        return;
      case "task_unavailable": {
        this.#rotation.unavailable(session, message.retry_after_s);
        this.#hubStatus.limits(session, message.limits, this.#deps.clock.now());
        const detail = withheldOf(message);
        this.#hubStatus.note(session, meaningOf(message), {
          until: this.#rotation.nextAt(session),
          ...(detail === undefined ? {} : { detail }),
        });
        this.#next();
        return;
      }
      case "task_revoke":
        this.#revoked(session, message.task_id, message.reason);
        return;
      case "token_refresh":
        // Only the hub that gave the task may renew its credential.
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
        if (message.message !== undefined) this.#deps.console.say(`hub ${session.hub.host}: ${message.message}`);
        // The notice may bring new permissions, with which this hub may be asked.
        if (message.permissions !== undefined) this.#next();
        return;
    }
  }

  onIgnored(session: Session, why: string): void {
    this.#deps.console.log.info({ hub: session.hub.host, why }, "frame ignored");
  }

  onLost(session: Session, closed: Closed, retryMs: number): void {
    const why = closed.reason === "" ? `closed with ${closed.code}` : closed.reason;
    this.#rotation.leave(session);
    const isRefused = why.startsWith(REFUSED_FOR_NOW);
    this.#hubStatus.note(session, isRefused ? `hub ${why}` : `hub away (${why})`, {
      until: this.#deps.clock.now() + retryMs,
    });
    const seconds = Math.ceil(retryMs / 1000);
    this.#deps.console.log.warn(
      { hub: session.hub.host, code: closed.code, why, retry_ms: retryMs },
      `${isRefused ? "hub refuses for now" : "hub away"}, next try in ${seconds} s`,
    );
    this.#next();
  }

  onRefused(session: Session, reason: string, acceptedModels: readonly string[]): void {
    this.#deps.console.say(`error: hub ${session.hub.host} refused this relay: ${reason}`);
    if (acceptedModels.length > 0) this.#deps.console.say(`hint: accepted models: ${acceptedModels.join(", ")}`);
    this.#hubStatus.note(session, `refused (${reason})`);
    // This hub takes no report any more: the task ends, and the relay is free for the other hubs.
    if (this.#inHand?.session === session) this.#keep(this.#inHand.task.end(), "ending the agent");
    this.#next();
  }

  #assigned(session: Session, given: Assignment, asked: boolean): void {
    const { task_id, task_gen } = given;
    const held = this.#inHand;
    const { assignment } = held?.task ?? {};
    if (assignment?.task_id === task_id && assignment.task_gen === task_gen && held?.session === session) {
      this.#keep(session.send(acceptance(given)), "accepting");
      return;
    }
    const refusal = this.#refusalOf(session, given, asked);
    if (refusal !== undefined) {
      this.#decline(session, given, refusal);
      return;
    }
    this.#rotation.answered(session);
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
    // A hub that was not asked must not overtake the one whose answer is due.
    return !asked && this.#rotation.isAnotherAsked(session) ? ASKED_ELSEWHERE : undefined;
  }

  #decline(session: Session, given: Assignment, refusal: Refusal): void {
    this.#keep(session.send(declined(session, given, refusal)), "declining");
    if (this.#inHand !== undefined || this.#stopping) return;
    // Do not ask again at once for what was just declined.
    this.#rotation.unavailable(session, undefined);
    this.#hubStatus.note(session, `declined a task: ${refusal.message}`, { until: this.#rotation.nextAt(session) });
    this.#next();
  }

  #accept(session: Session, assignment: Assignment): void {
    const { task_id } = assignment;
    this.#hubStatus.assigned(session, this.#deps.clock.now());
    const task = new Task(assignment, this.#taskDeps(session));
    this.#inHand = { task, session };
    this.#keep(session.send(acceptance(assignment)), "accepting");
    this.#deps.console.log.info({ hub: session.hub.host, task: task_id, issue: issueOf(assignment) }, "task accepted");
    this.#deps.statusFile?.set("working", workDetails(assignment));
    this.#keep(this.#see(session, task), "working");
  }

  #taskDeps(session: Session): TaskDeps {
    return {
      ...this.#runDeps(),
      awaitsCredential: session.capabilities.has("token_refresh"),
      permissions: () => session.permissions,
      isSignedIn: this.#gate.isSignedIn,
      hubHost: session.hub.host,
      onProgress: () => this.#keep(this.#reportProgress(), "reporting progress"),
    };
  }

  /** What every run of the agent on this machine needs. */
  #runDeps() {
    const { config, environment, clock, random, numbers, journal, secrets, startAgent, console, confinement } =
      this.#deps;
    return {
      config,
      environment,
      clock,
      numbers,
      journal,
      secrets,
      binary: this.#gate.binary,
      confinement,
      startAgent,
      newMark: () => random.hex(12),
      onWarning: (sentence: string) => console.say(`warning: ${sentence}`),
    };
  }

  /** Runs a task to its end, reports it, and asks for the next one. Whatever happens, the relay is free afterwards. */
  async #see(session: Session, task: Task): Promise<void> {
    let result: TaskResult | undefined;
    try {
      result = await task.run();
      if (this.#inHand?.task !== task || result === undefined) return;
      this.#reporting = this.#reports.finish(session, task.assignment, result);
      await this.#reporting;
    } finally {
      this.#deps.secrets.taskEnded(task);
      if (this.#inHand?.task === task) {
        this.#reporting = undefined;
        this.#inHand = undefined;
        if (result !== undefined) this.#gate.judge(result.outcome);
        this.#gate.sayWaiting();
      }
      this.#next();
    }
  }

  /** Runs the agent for a moment, for no hub; answers why it cannot work, undefined when it does. */
  async #prove(): Promise<string | undefined> {
    if (this.#stopping || this.#inHand !== undefined) return this.#gate.trouble;
    this.#proof = proofOf(this.#runDeps());
    const result = await this.#proof.run().finally(() => {
      this.#proof = undefined;
    });
    return result === undefined ? undefined : ownTroubleIn(result.outcome);
  }

  #revoked(session: Session, taskId: string, reason: string | undefined): void {
    const held = this.#inHand;
    if (held === undefined || held.session !== session || held.task.assignment.task_id !== taskId) return;
    this.#deps.console.log.warn({ task: taskId, reason }, "the hub took the task back");
    this.#keep(held.task.end(), "ending the agent");
  }

  /** A credential could not be made: tells the person, and the task, which stops waiting for its first credential. */
  #credentialFailed(session: Session, taskId: string | undefined, reason: string): void {
    const held = this.#inHand;
    if (held?.session !== session || (taskId !== undefined && taskId !== held.task.assignment.task_id)) return;
    this.#deps.console.log.warn(
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

  /** Asks the next hub for work, when no task is in hand. */
  #next(): void {
    if (this.#inHand !== undefined || this.#stopping || this.#gate.trouble !== undefined) return;
    this.#rotation.askNext(
      (session) => this.#keep(session.ask(), "asking for work"),
      () => this.#next(),
      (session) => this.#gate.refusalAt(session) === undefined,
    );
  }

  /** Ends the agent's processes, reports to the hub, and gives the report a moment to arrive. */
  async #stopWork(): Promise<void> {
    this.#stopping = true;
    this.#rotation.cancel();
    this.#gate.close();
    const proof = this.#proof?.end({ graceMs: STOPPING_GRACE_MS });
    const held = this.#inHand;
    this.#deps.console.say(stoppingWords(held, this.#reporting !== undefined));
    if (held === undefined) await answersDue(this.#sessions, this.#deps.clock, LAST_ACK_MS);
    if (this.#reporting !== undefined) await this.#reporting;
    else if (held !== undefined) {
      const { task, session } = held;
      this.#inHand = undefined;
      await task.end({ graceMs: STOPPING_GRACE_MS });
      const acked = this.#reports.acknowledgementOf(session, task.assignment);
      const outcome = { kind: "failed", failureKind: "environment", reason: RELAY_STOPPED } as const;
      await this.#reports.put(session, task.assignment, { outcome, tail: await task.tail() });
      if (session.isAuthenticated && session.capabilities.has("task_ack"))
        await Promise.race([acked, this.#deps.clock.sleep(LAST_ACK_MS)]);
    }
    await proof;
    await this.#deps.statusFile?.stop("stopped");
  }

  /** Shows what the relay does now, where its agent runs, and how to watch it. */
  #sayStatus(): void {
    const { clock, console, confinement, attach } = this.#deps;
    const { task } = this.#inHand ?? {};
    const watch = task?.standstill() !== undefined && attach !== undefined ? `: ${attach}` : "";
    const inHand = this.#inHand && { ...this.#inHand, about: `${watch}; ${confinementWord(confinement)}` };
    const around = { sessions: this.#sessions, at: clock.now(), trouble: this.#gate.trouble };
    const { sentence, change } = this.#hubStatus.now(inHand, around);
    console.status(sentence, change);
  }

  /** Logs the failure of a promise that nobody awaits. */
  #keep(work: Promise<unknown>, doing: string): void {
    work.catch((thrown: unknown) =>
      this.#deps.console.log.error({ why: sentenceOf(thrown), doing }, "unexpected failure"),
    );
  }
}
