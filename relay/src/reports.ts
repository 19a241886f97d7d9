import type { KnownSecrets } from "@nest/agents";
import { type Clock, sentenceOf } from "@nest/kit";
import type { Console } from "./console/console.ts";
import type { StatusDetails, StatusFile } from "./console/status-file.ts";
import { Outbox, type OutboxEntry, type TerminalReport } from "./outbox/outbox.ts";
import { withoutSecrets } from "./session/outgoing.ts";
import type { Session } from "./session/session.ts";
import { named, terminalReport } from "./task/report.ts";
import type { Assignment, TaskResult } from "./task/task.ts";

/** At most this many reports of one hub are kept in memory while the disk takes none. */
const MOST_UNSAVED = 50;

export interface ReportsDeps {
  readonly stateFolder: string;
  readonly sessionName: string;
  /** Whether a relay that runs has this session name. */
  readonly isInUse: (session: string) => Promise<boolean>;
  readonly clock: Clock;
  readonly secrets: KnownSecrets;
  readonly console: Console;
  /** Absent in interactive mode. */
  readonly statusFile: StatusFile | undefined;
}

/** Delivers terminal reports: each is saved to disk, then sent to its hub, and kept until the hub acknowledges it. */
export class Reports {
  readonly #deps: ReportsDeps;
  /** Reports that could not be saved: kept here until their hub has them. */
  readonly #unsaved = new Map<Session, OutboxEntry[]>();
  readonly #awaited = new Map<string, () => void>();

  constructor(deps: ReportsDeps) {
    this.#deps = deps;
  }

  /** A task has ended by itself: writes it to the log and the status file, and reports it. */
  async finish(session: Session, assignment: Assignment, result: TaskResult): Promise<void> {
    const { outcome } = result;
    const reason = outcome.kind === "failed" ? outcome.reason : outcome.verdictReason;
    const pullRequest = outcome.kind === "completed" ? outcome.pullRequest : undefined;
    this.#deps.console.log.info(
      { task: assignment.task_id, issue: issueOf(assignment), reason, pull_request: pullRequest },
      outcome.kind === "failed" ? "task failed" : `task done: ${outcome.verdict}`,
    );
    this.#deps.statusFile?.set(outcome.kind === "failed" ? "failed" : "done", {
      ...workDetails(assignment),
      ...(reason === undefined ? {} : { reason: this.#deps.secrets.redact(reason) }),
      ...(pullRequest === undefined ? {} : { pr_url: pullRequest }),
    });
    await this.put(session, assignment, result);
  }

  /**
   * Removes known secrets from a report, saves it, and begins to send it. Resolves when it is saved: a hub that does not read
   * delays nobody.
   */
  async put(session: Session, assignment: Assignment, { outcome, tail }: TaskResult): Promise<void> {
    const entry = this.#entry(assignment, terminalReport({ assignment, outcome, tail }));
    try {
      await this.#outboxOf(session).put(entry);
    } catch (thrown) {
      this.#unsaved.set(session, [...(this.#unsaved.get(session) ?? []), entry].slice(-MOST_UNSAVED));
      this.#deps.console.log.error(
        { why: sentenceOf(thrown) },
        "the outbox cannot be written; the report is lost if this relay ends before its hub has it",
      );
    }
    this.#deliver(session, entry, false).catch((thrown: unknown) => this.#sayTrouble(thrown));
  }

  /** Sends the reports that earlier connections could not, oldest first, also those that ended relays left behind. */
  async replay(session: Session): Promise<void> {
    const outbox = this.#outboxOf(session);
    let saved: readonly OutboxEntry[] = [];
    try {
      await outbox.adopt(this.#deps.isInUse);
      saved = await outbox.waiting();
    } catch (thrown) {
      this.#sayTrouble(thrown);
    }
    for (const entry of [...saved, ...(this.#unsaved.get(session) ?? [])]) {
      if (!session.isAuthenticated) return;
      await this.#deliver(session, entry, true);
    }
  }

  /** The hub has the report: forgets it. */
  async acknowledge(session: Session, taskId: string, taskGen: number | undefined): Promise<void> {
    this.#awaited.get(reportKey(session, taskId))?.();
    await this.#forget(session, taskId, taskGen);
  }

  /** Resolves when this hub acknowledges the report of this task. */
  acknowledgementOf(session: Session, { task_id }: Assignment): Promise<void> {
    return new Promise((resolve) => this.#awaited.set(reportKey(session, task_id), resolve));
  }

  async #forget(session: Session, taskId: string, taskGen: number | undefined): Promise<void> {
    const others = this.#unsaved.get(session)?.filter(({ report }) => report.task_id !== taskId);
    if (others !== undefined) this.#unsaved.set(session, others);
    await this.#outboxOf(session).remove(taskId, taskGen);
  }

  #sayTrouble(thrown: unknown): void {
    this.#deps.console.log.error({ why: sentenceOf(thrown) }, "the outbox cannot be used");
  }

  #entry(assignment: Assignment, report: TerminalReport): OutboxEntry {
    const { kind = "issue", repo, number, title } = assignment;
    const clean = withoutSecrets(report, this.#deps.secrets);
    return { saved_at: this.#deps.clock.now(), report: clean, work: { kind, repo, number, title } };
  }

  /** Sends one report. A hub without acknowledgements has it once it is sent, and needs a resume before a late one. */
  async #deliver(session: Session, entry: OutboxEntry, late: boolean): Promise<void> {
    const { report } = entry;
    const task = named(report);
    const acknowledges = session.capabilities.has("task_ack");
    if (late && !acknowledges) {
      await session.send({ type: "task_accepted", ...task });
      await session.send({ type: "task_progress", ...task, status: "working", ...entry.work });
    }
    const sent = await session.send(report);
    if (sent && !acknowledges) await this.#forget(session, task.task_id, task.task_gen);
  }

  #outboxOf(session: Session): Outbox {
    const { stateFolder, sessionName } = this.#deps;
    const { hub, contributorId = "" } = session;
    return new Outbox(stateFolder, { hubAddress: hub.address, contributorId, session: sessionName });
  }
}

function reportKey(session: Session, taskId: string): string {
  return `${session.hub.address}\n${taskId}`;
}

/** An assignment's issue as people write it: `owner/name#7`. */
export function issueOf({ repo, number }: Assignment): string {
  return `${repo}#${number}`;
}

/** An assignment in the status file's words. */
export function workDetails({ task_id, task_gen, repo, number }: Assignment): StatusDetails {
  return { ...named({ task_id, task_gen }), repo, number };
}
