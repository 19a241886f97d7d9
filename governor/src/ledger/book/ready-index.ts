import { type Bead, isFinished } from "@nest/protocol";
import { OrderedIds } from "./ordered-ids.ts";

const PRIORITIES = [0, 1, 2, 3, 4];

/**
 * Which beads are ready: open, and everything they depend on is done or closed. A dependency that is not in the ledger is not
 * done. Kept up to date with each change; a question costs what it answers with.
 */
export class ReadyIndex {
  readonly #dependents = new Map<string, Set<string>>();
  /** How many dependencies each bead still waits for. */
  readonly #waitsFor = new Map<string, number>();
  readonly #beads: ReadonlyMap<string, Bead>;
  readonly #ready: readonly OrderedIds[];
  /** Steps taken since it was last asked for: whoever changes without ever asking finds building it anew cheaper. */
  steps = 0;

  constructor(beads: ReadonlyMap<string, Bead>) {
    this.#beads = beads;
    for (const bead of beads.values()) this.#enter(bead);
    const ready = PRIORITIES.map((): { ms: number; id: string }[] => []);
    for (const bead of beads.values()) if (this.#isReady(bead)) ready[bead.priority]?.push(entryOf(bead));
    this.#ready = ready.map((entries) => new OrderedIds(entries));
  }

  get size(): number {
    return this.#ready.reduce((sum, { size }) => sum + size, 0);
  }

  /** The ids of the first `count` ready beads: most urgent first, then oldest. */
  first(count: number): string[] {
    this.steps = 0;
    const found: string[] = [];
    for (const ids of this.#ready) {
      if (found.length >= count) break;
      found.push(...ids.first(count - found.length));
    }
    return found;
  }

  /** Which beads name this one as a dependency. */
  dependentsOf(id: string): ReadonlySet<string> {
    return this.#dependents.get(id) ?? new Set();
  }

  /** Takes a change that is already in the map of beads. */
  changed(before: Bead | undefined, after: Bead): void {
    this.steps += 1;
    if (before !== undefined) this.#ready[before.priority]?.remove(entryOf(before));
    if (before === undefined || before.depends_on !== after.depends_on) {
      for (const id of before?.depends_on ?? []) this.#dependents.get(id)?.delete(after.id);
      this.#enter(after);
    }
    this.#place(after);
    const was = before !== undefined && isFinished(before.status);
    const is = isFinished(after.status);
    if (was === is) return;
    for (const id of this.dependentsOf(after.id)) {
      this.steps += 1;
      if (id === after.id) continue;
      this.#waitsFor.set(id, (this.#waitsFor.get(id) ?? 0) + (is ? -1 : 1));
      const dependent = this.#beads.get(id);
      if (dependent !== undefined) this.#place(dependent);
    }
  }

  #enter(bead: Bead): void {
    let waits = 0;
    for (const id of bead.depends_on) {
      this.steps += 1;
      const dependents = this.#dependents.get(id);
      if (dependents === undefined) this.#dependents.set(id, new Set([bead.id]));
      else dependents.add(bead.id);
      const other = this.#beads.get(id);
      // A bead that waits for itself waits for ever, whatever becomes of it.
      if (other === undefined || id === bead.id || !isFinished(other.status)) waits += 1;
    }
    this.#waitsFor.set(bead.id, waits);
  }

  #place(bead: Bead): void {
    const ids = this.#ready[bead.priority];
    if (this.#isReady(bead)) ids?.add(entryOf(bead));
    else ids?.remove(entryOf(bead));
  }

  #isReady(bead: Bead): boolean {
    return bead.status === "open" && this.#waitsFor.get(bead.id) === 0;
  }
}

function entryOf({ created_at, id }: Bead): { ms: number; id: string } {
  return { ms: Date.parse(created_at) || 0, id };
}
