import { join } from "node:path";
import type { Issue } from "@nest/codehost";
import { type Clock, type Log, plainLine, type Random, sentenceOf } from "@nest/kit";
import type { Bead, BeadStatus, RunOutcome } from "@nest/protocol";
import { Ledger } from "../ledger/ledger.ts";
import { keyOf } from "./judge.ts";
import type { WorkLedger } from "./work-ledger.ts";

export interface AgentLedgersDeps {
  /** `<data>/beads`. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The agents that have a ledger. */
  readonly agents: () => readonly string[];
  /** Told when a bead changed, here or in an agent's own process. */
  readonly onChange?: (agent: string) => void;
}

/** How often changes that agents made in their own processes are read. */
const FOLLOW_MS = 2000;
const ISSUE = /^[^/#\s]+\/[^/#\s]+#\d+$/;

/** The work ledgers of a nest's agents, each opened when it is first needed. */
export class AgentLedgers implements WorkLedger {
  readonly #deps: AgentLedgersDeps;
  readonly #open = new Map<string, Promise<Ledger>>();
  readonly #following: (() => void)[] = [];
  /** What each ledger said last of issues that wait. */
  readonly #blocked = new Map<string, ReadonlySet<string>>();

  constructor(deps: AgentLedgersDeps) {
    this.#deps = deps;
  }

  /** The agents that have a ledger, by name. */
  get agents(): readonly string[] {
    return this.#deps.agents();
  }

  /** One agent's ledger. @throws NestError `ledger_unreadable`, `ledger_too_large`, `ledger_write_failed`. */
  of(agent: string): Promise<Ledger> {
    let opening = this.#open.get(agent);
    if (opening === undefined) {
      opening = this.#openOne(agent);
      this.#open.set(agent, opening);
      // One that could not be opened is tried again the next time.
      opening.catch(() => this.#open.delete(agent));
    }
    return opening;
  }

  async blockedIssues(): Promise<ReadonlySet<string>> {
    const blocked = new Set<string>();
    for (const agent of this.agents) {
      // One agent's broken ledger must not lift what the others' say.
      const ledger = await this.#readable(agent);
      if (ledger === undefined) {
        for (const issue of this.#blocked.get(agent) ?? []) blocked.add(issue);
        continue;
      }
      const ofAgent = new Set<string>();
      this.#blocked.set(agent, ofAgent);
      for (const bead of issuesNotDone(ledger))
        if (ledger.waits(bead.id).for.length > 0) ofAgent.add(bead.external_ref ?? "");
      for (const issue of ofAgent) blocked.add(issue);
    }
    return blocked;
  }

  async begin(agent: string, issue: Issue): Promise<void> {
    const ledger = await this.of(agent);
    await ledger.refresh();
    const known = beadOf(ledger, keyOf(issue));
    if (known !== undefined) {
      await ledger.update(known.id, { status: "in_progress", actor: agent });
      return;
    }
    await ledger.create({
      title: plainLine(issue.title).slice(0, 500) || keyOf(issue),
      type: issue.labels.some((label) => /bug/i.test(label)) ? "bug" : "task",
      status: "in_progress",
      actor: agent,
      external_ref: keyOf(issue),
      metadata: { url: issue.url },
    });
  }

  async end(agent: string, issue: string, outcome: RunOutcome, summary: string | undefined): Promise<void> {
    const ledger = await this.of(agent);
    await ledger.refresh();
    const bead = beadOf(ledger, issue);
    if (bead === undefined) return;
    await ledger.update(bead.id, { status: statusAfter(outcome) });
    if (summary !== undefined && summary !== "") await ledger.remember(summary, bead.id);
  }

  /** How many lines of all ledgers cannot be read. */
  async problems(): Promise<number> {
    let count = 0;
    for (const agent of this.agents) count += (await this.#readable(agent))?.problems.count ?? 1;
    return count;
  }

  async close(): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const stop of this.#following.splice(0)) stop();
    for (const opening of open) await (await opening.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  /** The ledger as it is now; undefined where it cannot be read. */
  async #readable(agent: string): Promise<Ledger | undefined> {
    try {
      const ledger = await this.of(agent);
      await ledger.refresh();
      return ledger;
    } catch (thrown) {
      this.#deps.log.warn({ agent, err: sentenceOf(thrown) }, "an agent's ledger cannot be read");
      return undefined;
    }
  }

  async #openOne(agent: string): Promise<Ledger> {
    const { folder, clock, random, log, onChange } = this.#deps;
    const ledger = await Ledger.open({
      folder: join(folder, agent),
      actor: agent,
      clock,
      random,
      onTrouble: (sentence) => log.warn({ agent }, sentence),
    });
    ledger.onChange(() => onChange?.(agent));
    this.#following.push(ledger.follow(FOLLOW_MS));
    return ledger;
  }
}

function beadOf(ledger: Ledger, issue: string): Bead | undefined {
  return ledger.list({ external_ref: issue }, { limit: 1 }).beads[0];
}

function* issuesNotDone(ledger: Ledger): Generator<Bead> {
  let cursor: string | undefined;
  do {
    const page = ledger.list(
      { status: ["open", "in_progress", "blocked"] },
      { limit: 500, ...(cursor === undefined ? {} : { cursor }) },
    );
    for (const bead of page.beads) if (ISSUE.test(bead.external_ref ?? "")) yield bead;
    cursor = page.next;
  } while (cursor !== undefined);
}

function statusAfter(outcome: RunOutcome): BeadStatus {
  switch (outcome) {
    case "shipped":
    case "finished":
    case "no_work_needed":
      return "done";
    case "blocked":
      return "blocked";
    default:
      return "open";
  }
}
