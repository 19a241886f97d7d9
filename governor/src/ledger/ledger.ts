import { type Clock, plainLine, plainText, type Random, sentenceOf } from "@nest/kit";
import {
  type Bead,
  BeadChange,
  BeadDraft,
  type BeadFilter,
  type BeadStatus,
  beadLimits,
  isFinished,
  type LedgerLine,
} from "@nest/protocol";
import { newBeadId } from "./book/bead-id.ts";
import type { Book } from "./book/book.ts";
import { reaches } from "./book/graph.ts";
import { type BeadPage, listBeads } from "./book/list.ts";
import { checked, cleaned } from "./check-bead.ts";
import { exportBeads } from "./exchange/export-beads.ts";
import { type ImportPlan, planImport } from "./exchange/plan-import.ts";
import { type ReadBeads, readBeads } from "./exchange/read-beads.ts";
import { circleError, invalidBead, refusalError, unknownDependency } from "./ledger-errors.ts";
import { LineQueue, type MakeLine } from "./line-queue.ts";
import { BeadStore } from "./storage/bead-store.ts";
import type { LedgerProblem } from "./storage/problems.ts";

export interface LedgerOptions {
  /** `<data>/beads/<agent>`. */
  readonly folder: string;
  /** Whose ledger it is, or who writes into it: stands in every line, and in new beads. */
  readonly actor: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Is told what went wrong with nobody waiting for it: a compaction, a listener. */
  readonly onTrouble?: (sentence: string) => void;
}

/** A bead changed, here or in another process; or everything was read anew. */
export type LedgerEvent =
  | {
      readonly kind: "bead";
      readonly bead: Bead;
      readonly op: LedgerLine["op"];
      readonly by: string;
      readonly at: string;
    }
  | { readonly kind: "reload" };

export interface ImportReport extends Omit<ImportPlan, "puts"> {
  readonly refused: ReadBeads["refused"];
}

const IMPORT_LINES = 1000;
const MOST_IMPORT_TRIES = 10;

/**
 * One agent's work ledger: what is to do, what waits for what, and what is done. Every change is on disk when its promise resolves,
 * and any number of processes may use one folder at once (docs/ledger.md). Questions answer from memory, with what this process read
 * last; {@link refresh} and every change read on what others wrote.
 */
export class Ledger implements AsyncDisposable {
  readonly #options: LedgerOptions;
  readonly #queue = new LineQueue((act) => this.#inTurn(act));
  readonly #listeners = new Set<(event: LedgerEvent) => void>();
  readonly #store: BeadStore;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(options: LedgerOptions, store: BeadStore) {
    this.#options = options;
    this.#store = store;
  }

  /**
   * Opens the ledger of a folder and reads it; makes folder and ledger where there is none.
   *
   * @throws NestError `ledger_unreadable`, `ledger_too_large`, `ledger_write_failed`.
   */
  static async open(options: LedgerOptions): Promise<Ledger> {
    const store = await BeadStore.open(options.folder, options.random);
    const ledger = new Ledger({ ...options, actor: plainLine(options.actor).slice(0, 200) }, store);
    store.listener = {
      line: (line) => ledger.#noteLine(line),
      reload: () => ledger.#tell({ kind: "reload" }),
    };
    return ledger;
  }

  get size(): number {
    return this.#store.book.size;
  }

  /** What could not be read: how much, and the first hundred. */
  get problems(): { readonly count: number; readonly first: readonly LedgerProblem[] } {
    return this.#store.problems;
  }

  /** @throws NestError `bead_unknown`. */
  show(id: string): Bead {
    const bead = this.#store.book.get(id);
    if (bead === undefined) throw refusalError("bead_unknown", id);
    return bead;
  }

  /** A page of beads, newest first. `cursor` is the `next` of the page before. */
  list(filter: BeadFilter = {}, page: { readonly limit?: number; readonly cursor?: string } = {}): BeadPage {
    const { limit = 100, cursor } = page;
    return listBeads(this.#store.book.beads(), filter, { limit, ...(cursor === undefined ? {} : { cursor }) });
  }

  /** The beads that are open and wait for nothing: most urgent first, then oldest; and how many there are in all. */
  ready(limit = 100): { readonly beads: readonly Bead[]; readonly total: number } {
    return { beads: this.#store.book.ready(limit), total: this.#store.book.readyCount() };
  }

  /** What a bead still waits for, with ids that are not in the ledger; and who waits for it. */
  waits(id: string): { readonly for: readonly string[]; readonly by: readonly string[] } {
    const { book } = this.#store;
    const open = book.dependsOn(id).filter((other) => !isFinishedIn(book, other));
    return { for: open, by: book.dependentsOf(id) };
  }

  /** Sets of beads that wait for each other, and so for ever: none is made here, but a folder's author may write them. */
  circles(): readonly (readonly string[])[] {
    return this.#store.book.circles();
  }

  /** @throws NestError `bead_invalid`, `bead_dependency_unknown`, `ledger_full`, `ledger_write_failed`. */
  async create(draft: BeadDraft): Promise<Bead> {
    const { actor = this.#options.actor, external_ref = "", ...fields } = checked(BeadDraft, cleaned(draft));
    return this.#write((book) => {
      for (const id of fields.depends_on) if (book.get(id) === undefined) throw unknownDependency(id);
      const base = this.#base();
      const bead: Bead = {
        id: newBeadId(this.#options.random),
        ...fields,
        ...(external_ref === "" ? {} : { external_ref }),
        actor,
        created_at: base.at,
        updated_at: base.at,
        ...(isFinished(fields.status) ? { closed_at: base.at } : {}),
        depends_on: [...new Set(fields.depends_on)],
      };
      return { op: "create", ...base, bead };
    });
  }

  /**
   * Changes some of a bead's fields. With `ifStatus` only while it is in one of these: of two agents that take it at once, one does.
   *
   * @throws NestError `bead_invalid`, `bead_unknown`, `bead_changed`, `bead_too_large`, `ledger_full`, `ledger_write_failed`.
   */
  async update(id: string, change: BeadChange, ifStatus?: readonly BeadStatus[]): Promise<Bead> {
    const set = checked(BeadChange, cleaned(change));
    const condition = ifStatus === undefined ? {} : { if_status: [...ifStatus] };
    return this.#write((book) => {
      if (book.get(id) === undefined) throw refusalError("bead_unknown", id);
      return { op: "change", ...this.#base(), id, set, ...condition };
    });
  }

  /** Says that nothing is left to do. With a note it says why. @throws as {@link update}. */
  async close(id: string, note?: string): Promise<Bead> {
    if (note !== undefined) await this.remember(note, id);
    return this.update(id, { status: "closed" });
  }

  /** Puts a bead back to where work on it begins: open. @throws as {@link update}. */
  async reset(id: string): Promise<Bead> {
    return this.update(id, { status: "open" });
  }

  /**
   * Notes something down: at the end of a bead's notes, or as a bead of its own of which nothing is to be done (an advisory).
   *
   * @throws NestError `bead_invalid`, `bead_unknown`, `bead_too_large`, `ledger_full`, `ledger_write_failed`.
   */
  async remember(text: string, id?: string): Promise<Bead> {
    const plain = plainText(text).trim();
    if (plain === "") throw invalidBead("there is nothing to remember: the text is empty");
    if (id !== undefined) return this.#addNote(id, plain);
    const [first = "", ...rest] = plain.split("\n");
    const isShort = rest.length === 0 && first.length <= TITLE_OF_MEMORY;
    const title = isShort ? first : `${first.slice(0, TITLE_OF_MEMORY)}…`;
    return this.create({ title, type: "advisory", status: "done", priority: 4, notes: isShort ? "" : plain });
  }

  /**
   * Makes a bead wait for others, or no longer.
   *
   * @throws NestError `bead_circle` when one of them waits for it already, `bead_unknown`, `bead_dependency_unknown`,
   * `bead_too_large`, `ledger_busy`, `ledger_write_failed`.
   */
  async depend(
    id: string,
    change: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
  ): Promise<Bead> {
    const { add = [], remove = [] } = change;
    return this.#write((book) => {
      const bead = book.get(id);
      if (bead === undefined) throw refusalError("bead_unknown", id);
      if (add.length > beadLimits.dependencies) throw refusalError("bead_too_large", id);
      for (const other of add) {
        if (book.get(other) === undefined) throw unknownDependency(other);
        if (reaches(other, id, (one) => book.dependsOn(one))) throw circleError(id, other);
      }
      const gone = bead.depends_on.filter((other) => remove.includes(other));
      return { op: "depend", ...this.#base(), id, add: [...add], remove: gone, after: book.dependTip };
    });
  }

  /**
   * Takes in beads of a `beads.json` or an `issues.jsonl`. Those that the ledger has as new or newer stay as they are; so doing it twice
   * does it once.
   *
   * @throws NestError `import_unreadable`, `ledger_full`, `ledger_busy`, `ledger_write_failed`.
   */
  async import(text: string): Promise<ImportReport> {
    const { beads, refused } = readBeads(text, this.#now());
    return this.#inTurn(async () => {
      let report: ImportReport | undefined;
      for (let tries = 0; tries < MOST_IMPORT_TRIES; tries += 1) {
        await this.#store.refresh();
        const { puts, ...plan } = planImport(this.#store.book, beads);
        report ??= { ...plan, refused };
        if (await this.#put(puts)) {
          this.#compactIfDue();
          return report;
        }
      }
      throw refusalError("overtaken", "");
    });
  }

  /** The whole ledger, line by line, as the beads project's `issues.jsonl`. */
  export(): Generator<string> {
    return exportBeads(this.#store.book.beads());
  }

  /** Hears of every change that is read or made here, also of other processes', until the returned function is called. */
  onChange(listener: (event: LedgerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads on what other processes wrote. @throws NestError `ledger_unreadable`, `ledger_too_large`. */
  async refresh(): Promise<void> {
    await this.#inTurn(() => this.#store.refresh());
  }

  /**
   * Reads on every `periodMs` what other processes wrote, until the returned function is called. What goes wrong is told of, and tried
   * again.
   */
  follow(periodMs: number): () => void {
    let isReading = false;
    return this.#options.clock.every(periodMs, () => {
      if (isReading) return;
      isReading = true;
      this.refresh()
        .catch((thrown) => this.#options.onTrouble?.(`the ledger could not be read on: ${sentenceOf(thrown)}`))
        .finally(() => {
          isReading = false;
        });
    });
  }

  /** Writes a snapshot and begins a new log. It comes by itself when the log has grown. @throws NestError `ledger_write_failed`. */
  async compact(): Promise<void> {
    await this.#inTurn(() => this.#store.compact({ at: this.#now(), by: this.#options.actor }));
  }

  /** Ends what is under way and closes the files. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inTurn(() => this.#store[Symbol.asyncDispose]());
  }

  async #addNote(id: string, text: string): Promise<Bead> {
    if (text.length > beadLimits.notesCharacters) throw refusalError("bead_too_large", id);
    return this.#write((book) => {
      if (book.get(id) === undefined) throw refusalError("bead_unknown", id);
      return { op: "note", ...this.#base(), id, text };
    });
  }

  async #write(make: MakeLine): Promise<Bead> {
    const id = await this.#queue.add(this.#store, make);
    this.#compactIfDue();
    return this.show(id);
  }

  #compactIfDue(): void {
    if (!this.#store.isDueForCompaction) return;
    void this.#inTurn(async () => {
      // Of all that were asked for at the same time, the first one did it.
      if (this.#store.isDueForCompaction) await this.#store.compact({ at: this.#now(), by: this.#options.actor });
    }).catch((thrown) => this.#options.onTrouble?.(`the ledger could not be compacted: ${sentenceOf(thrown)}`));
  }

  /** Whether all were written; not when another process changed dependencies meanwhile. */
  async #put(puts: readonly Bead[]): Promise<boolean> {
    for (let at = 0; at < puts.length; at += IMPORT_LINES) {
      let after = this.#store.book.dependTip;
      const lines = puts.slice(at, at + IMPORT_LINES).map((bead): LedgerLine => {
        const line = { op: "put", ...this.#base(), bead, after } as const;
        after = line.n;
        return line;
      });
      const outcomes = await this.#store.commit(lines);
      for (const outcome of outcomes) {
        if (outcome === "overtaken") return false;
        if (outcome !== "counts") throw refusalError(outcome, "an imported bead");
      }
    }
    return true;
  }

  /** Runs `act` when everything before it is over. */
  #inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(act);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #noteLine(line: LedgerLine): void {
    if (this.#listeners.size === 0 || line.op === "seal") return;
    const bead = this.#store.book.get("bead" in line ? line.bead.id : line.id);
    if (bead !== undefined) this.#tell({ kind: "bead", bead, op: line.op, by: line.by, at: line.at });
  }

  #tell(event: LedgerEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (thrown) {
        this.#options.onTrouble?.(`a listener of the ledger failed: ${sentenceOf(thrown)}`);
      }
    }
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }

  #base(): { n: string; at: string; by: string } {
    return { n: this.#options.random.hex(8), at: this.#now(), by: this.#options.actor };
  }
}

/** Characters of a thing to remember that are its title. */
const TITLE_OF_MEMORY = 120;

function isFinishedIn(book: Book, id: string): boolean {
  const bead = book.get(id);
  return bead !== undefined && isFinished(bead.status);
}
