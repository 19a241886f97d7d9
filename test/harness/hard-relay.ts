import type { Clock, Random } from "@nest/kit";
import { WebSocket } from "ws";

/** What one relay saw and did, in the order and at the times it happened. */
export type Event =
  | { readonly kind: "assigned"; readonly at: number; readonly boot: number; readonly task: Held }
  | {
      readonly kind: "ended";
      readonly at: number;
      readonly task: Held;
      readonly how: "completed" | "failed" | "given back";
    }
  | { readonly kind: "acknowledged"; readonly at: number; readonly taskId: string }
  | { readonly kind: "resumed"; readonly at: number; readonly task: Held }
  | { readonly kind: "revoked"; readonly at: number; readonly taskId: string; readonly reason: string };

export interface Held {
  readonly task_id: string;
  readonly task_gen: number;
  readonly repo: string;
  readonly number: number;
}

interface Report extends Pick<Held, "task_id" | "task_gen"> {
  readonly type: "task_complete" | "task_failed";
  readonly [field: string]: unknown;
}

type Frame = Held & { readonly type: string; readonly reason: string };

export interface HardRelayDeps {
  readonly socket: () => string;
  readonly token: string;
  readonly random: Random;
  readonly clock: Clock;
  /** Counts the hub's boots. */
  readonly boot: () => number;
  /** The name that tells it from others of the same token. */
  readonly session?: string;
}

/**
 * A relay that works quickly and never gives up: it comes back after every cut, resumes what it holds, and keeps each report
 * until the hub has acknowledged it. It writes down everything, for a checker to judge.
 */
export class HardRelay {
  readonly history: Event[] = [];
  /** Why the hub closed its socket, each time that neither it nor a network did. */
  readonly closedByHub: string[] = [];
  readonly #parts: HardRelayDeps;
  readonly #outbox: Report[] = [];
  #socket: WebSocket | undefined;
  #boot = 0;
  #held: Held | undefined;
  #wantsMore = true;
  #stopped = false;
  #welcome = false;
  /** True while a `ready` has no answer: a second one would give back the task that the first one gets. */
  #asked = false;

  constructor(parts: HardRelayDeps) {
    this.#parts = parts;
    this.#connect();
  }

  /** Takes no further task; what is held is finished. */
  finish(): void {
    this.#wantsMore = false;
  }

  get isIdle(): boolean {
    return this.#held === undefined && this.#outbox.length === 0;
  }

  /** Whether the hub has welcomed it since that boot. */
  isBack(boot: number): boolean {
    return this.#welcome && this.#boot === boot;
  }

  /** Loses its network for a moment, as a laptop does. */
  drop(): void {
    this.#socket?.terminate();
  }

  stop(): void {
    this.#stopped = true;
    this.#socket?.terminate();
  }

  #connect(): void {
    if (this.#stopped) return;
    const socket = new WebSocket(this.#parts.socket());
    this.#socket = socket;
    this.#welcome = false;
    this.#asked = false;
    socket.on("error", () => {});
    socket.on("open", () => (this.#boot = this.#parts.boot()));
    socket.on("message", (data) => {
      if (socket === this.#socket) this.#take(JSON.parse(data.toString()) as Frame);
    });
    socket.on("close", (code, reason) => {
      if (socket !== this.#socket) return;
      // 1006: no closing frame came.
      if (code !== 1006 && !this.#stopped) this.closedByHub.push(`${code} ${reason.toString()}`);
      this.#welcome = false;
      this.#later(5, 60, () => this.#connect());
    });
  }

  #take(frame: Frame): void {
    switch (frame.type) {
      case "auth_challenge":
        this.#send({
          type: "auth_response",
          registration_token: this.#parts.token,
          cli_backend: "claude",
          model: "m",
          ...(this.#parts.session === undefined ? {} : { session: this.#parts.session }),
          capabilities: { relay_capabilities: ["task_ack"] },
        });
        break;
      case "auth_ok":
        this.#welcome = true;
        this.#goOn();
        break;
      case "task_assign":
        this.#asked = false;
        this.#begin(frame);
        break;
      case "task_unavailable":
        this.#asked = false;
        this.#later(50, 150, () => this.#ask());
        break;
      case "task_ack":
        this.#acknowledged(frame.task_id);
        break;
      case "task_revoke":
        this.#note({ kind: "revoked", at: this.#parts.clock.now(), taskId: frame.task_id, reason: frame.reason });
        this.#held = undefined;
        break;
    }
  }

  /** After each authentication: what is held first, then what is not acknowledged, then a wish for more. */
  #goOn(): void {
    const task = this.#held;
    if (task !== undefined) {
      const { task_id, task_gen, repo, number } = task;
      this.#note({ kind: "resumed", at: this.#parts.clock.now(), task });
      this.#send({ type: "task_accepted", task_id, task_gen });
      this.#send({
        type: "task_progress",
        task_id,
        task_gen,
        kind: "issue",
        repo,
        number,
        title: "x",
        status: "working",
      });
    }
    for (const report of this.#outbox) this.#send(report);
    if (task === undefined) this.#ask();
  }

  #ask(): void {
    if (!this.#welcome || !this.#wantsMore || this.#asked || this.#held !== undefined) return;
    this.#asked = true;
    this.#send({ type: "ready" });
  }

  #begin(frame: Frame): void {
    const { task_id, task_gen, repo, number } = frame;
    const task = { task_id, task_gen, repo, number };
    this.#note({ kind: "assigned", at: this.#parts.clock.now(), boot: this.#boot, task });
    this.#held = task;
    this.#send({ type: "task_accepted", task_id, task_gen });
    this.#later(20, 500, () => {
      // On a new connection the claim comes first: it says of its own accord that the work goes on.
      if (this.#held === task && this.#welcome)
        this.#send({ type: "task_progress", task_id, task_gen, status: "working" });
    });
    this.#later(50, 4000, () => {
      if (this.#held === task) this.#end(task);
    });
  }

  #end(task: Held): void {
    const { task_id, task_gen } = task;
    const dice = Math.floor(this.#parts.random.fraction() * 10);
    const how = dice < 6 ? "completed" : dice < 9 ? "failed" : "given back";
    // A `ready` gives the task back only if a hub receives it.
    if (how === "given back" && !this.#welcome)
      return this.#later(20, 60, () => this.#held === task && this.#end(task));
    this.#note({ kind: "ended", at: this.#parts.clock.now(), task, how });
    this.#held = undefined;
    if (how !== "given back") {
      const report: Report =
        how === "completed"
          ? { type: "task_complete", task_id, task_gen, result: "completed", summary: "done", verdict: "idle" }
          : { type: "task_failed", task_id, task_gen, reason: "no network", failure_kind: "environment" };
      this.#outbox.push(report);
      this.#send(report);
    }
    this.#ask();
  }

  #acknowledged(taskId: string): void {
    const at = this.#outbox.findIndex((report) => report.task_id === taskId);
    if (at === -1) return;
    this.#outbox.splice(at, 1);
    this.#note({ kind: "acknowledged", at: this.#parts.clock.now(), taskId });
  }

  #note(event: Event): void {
    this.history.push(event);
  }

  #send(frame: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  #later(fromMs: number, toMs: number, act: () => void): void {
    this.#parts.clock.after(fromMs + this.#parts.random.fraction() * (toMs - fromMs), () => {
      if (!this.#stopped) act();
    });
  }
}
