import type { LedgerLine } from "@nest/protocol";
import type { Book } from "./book/book.ts";
import { refusalError } from "./ledger-errors.ts";
import type { BeadStore, Outcome } from "./storage/bead-store.ts";

/** Says which line to write, looking at the book of that moment. @throws NestError when there is nothing to write. */
export type MakeLine = (book: Book) => LedgerLine;

interface Waiting {
  readonly make: MakeLine;
  readonly settle: (outcome: Outcome, id: string) => void;
  readonly fail: (thrown: unknown) => void;
  tries: number;
}

/** Other processes may change dependencies between our looking and our writing, so often in a row. */
const MOST_TRIES = 20;
const MOST_LINES = 500;

/** Puts the lines that are asked for at the same time into one write with one sync, and tells each asker what became of its own. */
export class LineQueue {
  readonly #waiting: Waiting[] = [];
  readonly #inTurn: (act: () => Promise<void>) => Promise<void>;
  #isScheduled = false;

  /** `inTurn` runs one thing after the other: nothing else touches the store meanwhile. */
  constructor(inTurn: (act: () => Promise<void>) => Promise<void>) {
    this.#inTurn = inTurn;
  }

  /** Resolves with the id of the bead when the line is on disk and counts; rejects with why it does not. */
  add(store: BeadStore, make: MakeLine): Promise<string> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: Outcome, id: string) => {
        if (outcome === "counts") resolve(id);
        else reject(refusalError(outcome, id));
      };
      this.#waiting.push({ make, settle, fail: reject, tries: 0 });
      this.#schedule(store);
    });
  }

  #schedule(store: BeadStore): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    void this.#inTurn(async () => {
      this.#isScheduled = false;
      await this.#write(store);
    });
  }

  async #write(store: BeadStore): Promise<void> {
    let taken: readonly Waiting[] = this.#waiting;
    try {
      await store.refresh();
      const made = this.#make(this.#waiting.splice(0, MOST_LINES), store.book);
      taken = made.map(({ waiting }) => waiting);
      const outcomes = made.length === 0 ? [] : await store.commit(made.map(({ line }) => line));
      for (const [at, { waiting, line }] of made.entries()) this.#settle(waiting, line, outcomes[at] ?? "counts");
    } catch (thrown) {
      if (taken === this.#waiting) taken = this.#waiting.splice(0);
      for (const { fail } of taken) fail(thrown);
    }
    if (this.#waiting.length > 0) this.#schedule(store);
  }

  #make(batch: readonly Waiting[], book: Book): { readonly waiting: Waiting; readonly line: LedgerLine }[] {
    const made: { waiting: Waiting; line: LedgerLine }[] = [];
    let changesDependencies = false;
    for (const [at, waiting] of batch.entries()) {
      try {
        const line = waiting.make(book);
        if (line.op === "depend" && changesDependencies) {
          // It was judged without the one before it. The next batch judges it anew.
          this.#waiting.unshift(...batch.slice(at));
          break;
        }
        changesDependencies ||= line.op === "depend";
        made.push({ waiting, line });
      } catch (thrown) {
        waiting.fail(thrown);
      }
    }
    return made;
  }

  #settle(waiting: Waiting, line: LedgerLine, outcome: Outcome): void {
    waiting.tries += 1;
    const isTriedAgain = outcome === "overtaken" && waiting.tries < MOST_TRIES;
    if (isTriedAgain) this.#waiting.push(waiting);
    else waiting.settle(outcome, idOf(line));
  }
}

function idOf(line: LedgerLine): string {
  if (line.op === "create" || line.op === "put") return line.bead.id;
  return line.op === "seal" ? "" : line.id;
}
