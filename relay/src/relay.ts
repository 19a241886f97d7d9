import type { AgentRun, AgentStart, Confinement } from "@nest/agents";
import { type CancelTimer, type Clock, type Environment, type Random, sentenceOf } from "@nest/kit";
import { type Durations, RELAY_STOPPED, type TransportTimes } from "@nest/protocol";
import type { RelayConfig } from "./config.ts";
import { confinementWord } from "./confinement.ts";
import { meaningOf, withheldOf } from "./meaning.ts";
import { issueOf, Reports, workDetails } from "./outbox/reports.ts";
import type { KnownSecrets } from "./secrets.ts";
import type { Introduction } from "./session/auth.ts";
import type { Closed } from "./session/connection.ts";
import { declined, progressOf, resume } from "./session/handover.ts";
import { type AuthOk, Session, type SessionListener, type WorkMessage } from "./session/session.ts";
import { Standing } from "./standing.ts";
import type { StatusDetails, StatusFile } from "./status-file.ts";
import type { RunLedger } from "./task/leftovers.ts";
import { type Assignment, Task } from "./task/task.ts";
import { Turns } from "./turns.ts";
import type { Voice } from "./voice.ts";

export interface RelayParts {
  readonly config: RelayConfig;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly random: Random;
  readonly numbers: Durations;
  readonly transport: TransportTimes;
  readonly introduction: Introduction;
  readonly secrets: KnownSecrets;
  readonly voice: Voice;
  /** Absent in interactive mode. */
  readonly statusFile: StatusFile | undefined;
  readonly ledger: RunLedger;
  readonly binary: string | undefined;
  readonly confinement: Confinement;
  /** What a person types to watch the agent; undefined where nobody can. */
  readonly attach: string | undefined;
  readonly startAgent: (start: AgentStart) => Promise<AgentRun>;
}

/** A relay that stops has 8 s in all: its agent gets less time to leave than usual, the last report a moment to arrive. */
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
  readonly #parts: RelayParts;
  readonly #sessions: readonly Session[];
  readonly #turns: Turns;
  readonly #reports: Reports;
  readonly #standing: Standing;
  #inHand: { readonly task: Task; readonly session: Session } | undefined;
  /** The report of the task in hand, while it is on its way to disk and hub. */
  #reporting: Promise<void> | undefined;
  #stopping = false;

  constructor(parts: RelayParts) {
    this.#parts = parts;
    const { config, clock, random, numbers, transport, introduction, secrets, voice, statusFile } = parts;
    const redact = (text: string) => secrets.redact(text);
    const shared = { clock, random, numbers, transport, introduction, redact, listener: this };
    this.#sessions = config.hubs.map((hub) => new Session(hub, shared));
    this.#turns = new Turns(this.#sessions, clock, numbers);
    this.#reports = new Reports({ stateFolder: config.stateFolder, clock, secrets, voice, statusFile });
    this.#standing = new Standing(voice, numbers);
  }

  /** Works until `stop` fires, or every hub has refused for good. */
  async run(stop: AbortSignal): Promise<"refused" | "stopped"> {
    const { clock } = this.#parts;
    const closing = new AbortController();
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
    if (stop.aborted) await stopped;
    return ends.every((end) => end === "refused") ? "refused" : "stopped";
  }

  onAuthenticated(session: Session, welcome: AuthOk): void {
    this.#standing.welcome(session, welcome, this.#parts.clock.now());
    this.#parts.voice.log.info(
      { hub: session.hub.host, contributor: welcome.contributor_id, tier: welcome.trust_tier },
      "connected",
    );
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
    if (this.#inHand === undefined) this.#status("waiting");
    await this.#reports.replay(session);
    this.#turns.admit(session);
    this.#next();
  }

  onWork(session: Session, message: WorkMessage): void {
    switch (message.type) {
      case "task_assign":
        this.#turns.answered(session);
        this.#assigned(session, message);
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
        this.#parts.secrets.add(message.github_token);
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
    this.#next();
  }

  #assigned(session: Session, assignment: Assignment): void {
    const { task_id, task_gen } = assignment;
    const held = this.#inHand?.task.assignment;
    if (held?.task_id === task_id && held.task_gen === task_gen && this.#inHand?.session === session) {
      this.#keep(session.send({ type: "task_accepted", task_id, task_gen }), "accepting");
      return;
    }
    if (held !== undefined || this.#stopping) {
      this.#keep(session.send(declined(session, assignment, this.#stopping ? "stopping" : "busy")), "declining");
      return;
    }
    this.#standing.assigned(session, this.#parts.clock.now());
    const task = new Task(assignment, this.#taskParts(session));
    this.#inHand = { task, session };
    this.#keep(session.send({ type: "task_accepted", task_id, task_gen }), "accepting");
    this.#parts.voice.log.info({ hub: session.hub.host, task: task_id, issue: issueOf(assignment) }, "task accepted");
    this.#status("working", workDetails(assignment));
    this.#keep(this.#see(session, task), "working");
  }

  #taskParts(session: Session) {
    const { config, environment, clock, random, numbers, ledger, binary, startAgent, voice, confinement } = this.#parts;
    return {
      config,
      environment,
      clock,
      numbers,
      ledger,
      binary,
      confinement,
      startAgent,
      newMark: () => random.hex(12),
      awaitsCredential: session.capabilities.has("token_refresh"),
      hubHost: session.hub.host,
      onProgress: () => this.#keep(this.#reportProgress(), "reporting progress"),
      onWarning: (sentence: string) => voice.say(`warning: ${sentence}`),
    };
  }

  /** Sees a task through to its end, reports, and asks for the next one. */
  async #see(session: Session, task: Task): Promise<void> {
    const result = await task.run();
    if (this.#inHand?.task !== task) return;
    if (result !== undefined) {
      this.#reporting = this.#reports.finish(session, task.assignment, result);
      await this.#reporting;
    }
    this.#reporting = undefined;
    this.#inHand = undefined;
    if (!this.#stopping) this.#status("waiting");
    this.#next();
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
    if (this.#inHand !== undefined || this.#stopping) return;
    this.#turns.take(
      (session) => this.#keep(session.ask(), "asking for work"),
      () => this.#next(),
    );
  }

  /** The agent's tree is ended, the hub is told, the last word gets a moment to arrive. */
  async #stopWork(): Promise<void> {
    this.#stopping = true;
    this.#turns.cancel();
    const held = this.#inHand;
    if (this.#reporting !== undefined) await this.#reporting;
    else if (held !== undefined) {
      const { task, session } = held;
      this.#inHand = undefined;
      await task.end({ graceMs: STOPPING_GRACE_MS });
      const acked = this.#reports.nextAcknowledgement();
      const outcome = { kind: "failed", failureKind: "environment", reason: RELAY_STOPPED } as const;
      await this.#reports.put(session, task.assignment, { outcome, tail: await task.tail() });
      if (session.isAuthenticated && session.capabilities.has("task_ack"))
        await Promise.race([acked, this.#parts.clock.sleep(LAST_ACK_MS)]);
    }
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
      const { sentence, change } = this.#standing.idling(this.#sessions, now);
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
