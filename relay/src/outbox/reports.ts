import { type Clock, sentenceOf } from "@nest/kit";
import type { KnownSecrets } from "../secrets.ts";
import type { Session } from "../session/session.ts";
import type { StatusDetails, StatusFile } from "../status-file.ts";
import { terminalReport } from "../task/report.ts";
import type { Assignment, TaskResult } from "../task/task.ts";
import type { Voice } from "../voice.ts";
import { Outbox, type OutboxEntry, type TerminalReport } from "./outbox.ts";

export interface ReportsParts {
  readonly stateFolder: string;
  readonly clock: Clock;
  readonly secrets: KnownSecrets;
  readonly voice: Voice;
  /** Absent in interactive mode. */
  readonly statusFile: StatusFile | undefined;
}

/** Terminal reports on their way: to disk first, then to their hub, kept until it acknowledges. */
export class Reports {
  readonly #parts: ReportsParts;
  #acknowledged: () => void = () => undefined;

  constructor(parts: ReportsParts) {
    this.#parts = parts;
  }

  /** A task has ended by itself: told to the log and the status file, and reported. */
  async finish(session: Session, assignment: Assignment, result: TaskResult): Promise<void> {
    const { outcome } = result;
    const reason = outcome.kind === "failed" ? outcome.reason : outcome.verdictReason;
    const pullRequest = outcome.kind === "completed" ? outcome.pullRequest : undefined;
    this.#parts.voice.log.info(
      { task: assignment.task_id, issue: issueOf(assignment), reason, pull_request: pullRequest },
      outcome.kind === "failed" ? "task failed" : `task done: ${outcome.verdict}`,
    );
    this.#parts.statusFile?.set(outcome.kind === "failed" ? "failed" : "done", {
      ...workDetails(assignment),
      ...(reason === undefined ? {} : { reason: this.#parts.secrets.redact(reason) }),
      ...(pullRequest === undefined ? {} : { pr_url: pullRequest }),
    });
    await this.put(session, assignment, result);
  }

  /** Saves a report and sends it; secrets that are known are taken out of both. */
  async put(session: Session, assignment: Assignment, { outcome, tail }: TaskResult): Promise<void> {
    const { task_id: taskId, task_gen: taskGen } = assignment;
    const entry = this.#entry(assignment, terminalReport({ taskId, taskGen, outcome, tail }));
    try {
      await this.#outboxOf(session).put(entry);
    } catch (thrown) {
      this.#parts.voice.log.error(
        { why: sentenceOf(thrown) },
        "the outbox cannot be written; the report is sent only once",
      );
    }
    await this.#deliver(session, entry, false);
  }

  /** Sends what an earlier connection could not, oldest first. */
  async replay(session: Session): Promise<void> {
    for (const entry of await this.#outboxOf(session).waiting()) await this.#deliver(session, entry, true);
  }

  /** The hub has it. */
  async acknowledge(session: Session, taskId: string, taskGen: number | undefined): Promise<void> {
    await this.#outboxOf(session).remove(taskId, taskGen);
    this.#acknowledged();
  }

  /** Resolves at the next acknowledgement of any report. */
  nextAcknowledgement(): Promise<void> {
    return new Promise((resolve) => {
      this.#acknowledged = resolve;
    });
  }

  #entry(assignment: Assignment, report: TerminalReport): OutboxEntry {
    const { kind = "issue", repo, number, title } = assignment;
    const clean = JSON.parse(this.#parts.secrets.redact(JSON.stringify(report))) as TerminalReport;
    return { saved_at: this.#parts.clock.now(), report: clean, work: { kind, repo, number, title } };
  }

  /** A hub that does not acknowledge has a report once it is sent, and needs a resume before a late one. */
  async #deliver(session: Session, entry: OutboxEntry, late: boolean): Promise<void> {
    const { report } = entry;
    const { task_id, task_gen } = report;
    const acknowledges = session.capabilities.has("task_ack");
    if (late && !acknowledges) {
      const generation = task_gen === undefined ? {} : { task_gen };
      await session.send({ type: "task_accepted", task_id, ...generation });
      await session.send({ type: "task_progress", task_id, ...generation, status: "working", ...entry.work });
    }
    const sent = await session.send(report);
    if (sent && !acknowledges) await this.#outboxOf(session).remove(task_id, task_gen);
  }

  #outboxOf(session: Session): Outbox {
    return new Outbox(this.#parts.stateFolder, session.hub.address, session.contributorId ?? "");
  }
}

export function issueOf({ repo, number }: Assignment): string {
  return `${repo}#${number}`;
}

/** An assignment in the status file's words. */
export function workDetails({ task_id, task_gen, repo, number }: Assignment): StatusDetails {
  return { task_id, task_gen, repo, number };
}
