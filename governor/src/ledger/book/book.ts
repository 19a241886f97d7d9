import { type Bead, beadLimits, isFinished, type LedgerLine } from "@nest/protocol";
import { circles } from "./graph.ts";
import { ReadyIndex } from "./ready-index.ts";

/** Why a line changes nothing. `overtaken`: dependencies changed since its writer looked; it has to look again. */
export type Refusal = "bead_unknown" | "bead_exists" | "bead_changed" | "bead_too_large" | "ledger_full" | "overtaken";

type Change = Extract<LedgerLine, { op: "change" }>;

/** After so many steps without a question the index of ready beads is dropped and built anew when it is asked for. */
const MOST_INDEX_STEPS = 200_000;

/** The beads of one ledger, as its lines make them: the same lines in the same order make the same book everywhere. */
export class Book {
  readonly #beads = new Map<string, Bead>();
  #index: ReadyIndex | undefined;
  #characters = 0;
  #dependTip: string;

  constructor(dependTip = "") {
    this.#dependTip = dependTip;
  }

  get size(): number {
    return this.#beads.size;
  }

  /** Of all texts together. */
  get characters(): number {
    return this.#characters;
  }

  /** The last line that changed dependencies. */
  get dependTip(): string {
    return this.#dependTip;
  }

  get(id: string): Bead | undefined {
    return this.#beads.get(id);
  }

  beads(): Iterable<Bead> {
    return this.#beads.values();
  }

  readyCount(): number {
    return this.#ready().size;
  }

  /** The first `count` beads that are open and wait for nothing: most urgent first, then oldest. */
  ready(count: number): Bead[] {
    return this.#ready()
      .first(count)
      .flatMap((id) => this.#beads.get(id) ?? []);
  }

  dependentsOf(id: string): readonly string[] {
    return [...this.#ready().dependentsOf(id)];
  }

  dependsOn(id: string): readonly string[] {
    return this.#beads.get(id)?.depends_on ?? [];
  }

  /** Sets of beads that wait for each other, and so for ever. */
  circles(): string[][] {
    return circles(this.#beads.keys(), (id) => this.dependsOn(id));
  }

  /** Takes a bead of a snapshot. */
  restore(bead: Bead): Refusal | undefined {
    return this.#beads.has(bead.id) ? "bead_exists" : this.#keep(undefined, bead);
  }

  /** Takes one line; answers with why it changes nothing, or undefined when it counts. */
  apply(line: LedgerLine): Refusal | undefined {
    switch (line.op) {
      case "seal":
        return undefined;
      case "create":
        return this.#beads.has(line.bead.id) ? "bead_exists" : this.#keep(undefined, line.bead);
      case "put": {
        if (line.after !== this.#dependTip) return "overtaken";
        const refused = this.#keep(this.#beads.get(line.bead.id), line.bead);
        if (refused === undefined) this.#dependTip = line.n;
        return refused;
      }
      case "change":
        return this.#change(line);
      case "note":
        return this.#with(line.id, (bead) => {
          const notes = bead.notes === "" ? line.text : `${bead.notes}\n${line.text}`;
          return { ...bead, notes, updated_at: line.at };
        });
      case "depend": {
        if (line.after !== this.#dependTip) return "overtaken";
        const refused = this.#with(line.id, (bead) => {
          const kept = bead.depends_on.filter((id) => !line.remove.includes(id));
          return { ...bead, depends_on: [...new Set([...kept, ...line.add])], updated_at: line.at };
        });
        if (refused === undefined) this.#dependTip = line.n;
        return refused;
      }
    }
  }

  #change(line: Change): Refusal | undefined {
    const before = this.#beads.get(line.id);
    if (before !== undefined && line.if_status?.includes(before.status) === false) return "bead_changed";
    return this.#with(line.id, ({ closed_at: closedBefore, external_ref: refBefore, ...bead }) => {
      const { external_ref = refBefore, ...set } = line.set;
      const status = set.status ?? bead.status;
      const closed_at = isFinished(bead.status) ? (closedBefore ?? line.at) : line.at;
      return {
        ...bead,
        ...set,
        ...(external_ref === undefined || external_ref === "" ? {} : { external_ref }),
        updated_at: line.at,
        ...(isFinished(status) ? { closed_at } : {}),
      } as Bead;
    });
  }

  #with(id: string, change: (bead: Bead) => Bead): Refusal | undefined {
    const before = this.#beads.get(id);
    return before === undefined ? "bead_unknown" : this.#keep(before, change(before));
  }

  #keep(before: Bead | undefined, after: Bead): Refusal | undefined {
    if (after.notes.length > beadLimits.notesCharacters || after.depends_on.length > beadLimits.dependencies)
      return "bead_too_large";
    const characters = this.#characters + charactersOf(after) - (before === undefined ? 0 : charactersOf(before));
    const full = characters > beadLimits.ledgerCharacters || (before === undefined && this.size >= beadLimits.beads);
    if (full && characters > this.#characters) return "ledger_full";
    this.#characters = characters;
    this.#beads.set(after.id, after);
    this.#index?.changed(before, after);
    if (this.#index !== undefined && this.#index.steps > MOST_INDEX_STEPS) this.#index = undefined;
    return undefined;
  }

  #ready(): ReadyIndex {
    this.#index ??= new ReadyIndex(this.#beads);
    return this.#index;
  }
}

/** Most changes leave the metadata as it is; its length is counted once. */
const lengths = new WeakMap<object, number>();

/** What a bead weighs: the length of its JSON, nearly; counting is many times faster than writing it. */
function charactersOf(bead: Bead): number {
  let metadata = lengths.get(bead.metadata);
  if (metadata === undefined) {
    metadata = JSON.stringify(bead.metadata).length;
    lengths.set(bead.metadata, metadata);
  }
  const dependencies = bead.depends_on.reduce((sum, id) => sum + id.length, 0);
  return 200 + bead.title.length + bead.notes.length + metadata + dependencies;
}
