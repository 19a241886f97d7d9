/** A frame between hub and relay, as small as the simulation needs it. */
export type ToHub =
  | { readonly type: "ready" }
  | { readonly type: "accepted"; readonly taskId: string; readonly gen: number | undefined }
  | {
      readonly type: "progress";
      readonly taskId: string;
      readonly gen: number;
      readonly repo: string;
      readonly number: number;
    }
  | {
      readonly type: "completed";
      readonly taskId: string;
      readonly gen: number;
      readonly prUrl: string | undefined;
      readonly verdict: string | undefined;
    }
  | {
      readonly type: "failed";
      readonly taskId: string;
      readonly gen: number;
      readonly reason: string;
      readonly permanent: boolean;
    }
  | { readonly type: "declined"; readonly taskId: string; readonly gen: number };

export type ToRelay =
  | {
      readonly type: "assign";
      readonly taskId: string;
      readonly gen: number;
      readonly repo: string;
      readonly number: number;
    }
  | { readonly type: "unavailable" }
  | { readonly type: "revoke"; readonly taskId: string }
  | { readonly type: "ack"; readonly taskId: string };

interface Task {
  readonly taskId: string;
  readonly gen: number;
  readonly repo: string;
  readonly number: number;
}

/** What a relay does by itself at one moment. */
export type Deed =
  | "progress"
  | "complete"
  | "complete with pull request"
  | "fail"
  | "fail for good"
  | "decline"
  | "idle verdict"
  | "ask";

/** The relay's side of the protocol, as a well-behaved relay keeps it: one task, a report kept until it is acknowledged. */
export class RelayModel {
  readonly identity: string;
  readonly contributorId: string;
  task: Task | undefined;
  accepted = false;
  outbox: ToHub[] = [];
  asked = false;

  constructor(identity: string, contributorId: string) {
    this.identity = identity;
    this.contributorId = contributorId;
  }

  /** Authenticated on a new connection: resume pair, outbox, then `ready` when free. */
  connected(): ToHub[] {
    const { task } = this;
    const frames: ToHub[] = [];
    if (task !== undefined) {
      frames.push({ type: "accepted", taskId: task.taskId, gen: task.gen }, { type: "progress", ...task });
      this.accepted = true;
    }
    frames.push(...this.outbox);
    this.asked = task === undefined;
    if (this.asked) frames.push({ type: "ready" });
    return frames;
  }

  hear(frame: ToRelay): ToHub[] {
    switch (frame.type) {
      case "assign": {
        this.asked = false;
        if (this.task !== undefined) {
          if (this.task.taskId === frame.taskId) return [];
          return [{ type: "declined", taskId: frame.taskId, gen: frame.gen }];
        }
        const { taskId, gen, repo, number } = frame;
        this.task = { taskId, gen, repo, number };
        this.accepted = true;
        return [{ type: "accepted", taskId, gen }];
      }
      case "unavailable":
        this.asked = false;
        return [];
      case "revoke":
        if (this.task?.taskId !== frame.taskId) return [];
        this.task = undefined;
        return this.#ask();
      case "ack":
        this.outbox = this.outbox.filter((report) => report.type === "ready" || report.taskId !== frame.taskId);
        return [];
    }
  }

  act(deed: Deed, nth: number): ToHub[] {
    const { task } = this;
    if (task === undefined) return deed === "ask" && !this.asked ? this.#ask() : [];
    if (deed === "progress" || deed === "ask") return [{ type: "progress", ...task }];
    this.task = undefined;
    const report = this.#report(task, deed, nth);
    this.outbox.push(report);
    return [report, ...this.#ask()];
  }

  /** The process was killed: memory is gone, the outbox is on disk. */
  kill(): void {
    this.task = undefined;
    this.asked = false;
  }

  #ask(): ToHub[] {
    this.asked = true;
    return [{ type: "ready" }];
  }

  #report({ taskId, gen, repo }: Task, deed: Exclude<Deed, "progress" | "ask">, nth: number): ToHub {
    switch (deed) {
      case "complete":
        return { type: "completed", taskId, gen, prUrl: undefined, verdict: undefined };
      case "complete with pull request":
        return { type: "completed", taskId, gen, prUrl: `${repo}/pull/${nth % 3}`, verdict: "shipped" };
      case "idle verdict":
        return {
          type: "completed",
          taskId,
          gen,
          prUrl: undefined,
          verdict: nth % 2 === 0 ? "no_work_needed" : "blocked",
        };
      case "decline":
        return { type: "declined", taskId, gen };
      case "fail":
      case "fail for good":
        return { type: "failed", taskId, gen, reason: "tests fail", permanent: deed === "fail for good" };
    }
  }
}
