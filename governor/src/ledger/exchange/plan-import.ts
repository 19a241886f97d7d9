import type { Bead } from "@nest/protocol";
import type { Book } from "../book/book.ts";
import { circles, reaches } from "../book/graph.ts";

export interface ImportPlan {
  readonly puts: readonly Bead[];
  readonly created: number;
  readonly updated: number;
  /** Beads that the ledger has as new, or newer. */
  readonly unchanged: number;
  /** Dependencies that were left out because they close a circle. */
  readonly dropped: readonly { readonly id: string; readonly depends_on: string }[];
}

/** Dependencies inside circles that are judged one by one; with more, those left over are dropped: such a file is no honest one. */
const MOST_JUDGED = 2000;

/** What an import changes: new beads come, older ones are replaced, and no circle of dependencies comes in. */
export function planImport(book: Book, beads: readonly Bead[]): ImportPlan {
  const wanted = new Map<string, Bead>();
  let unchanged = 0;
  for (const bead of beads) {
    const before = wanted.get(bead.id) ?? book.get(bead.id);
    if (before !== undefined && Date.parse(before.updated_at) >= Date.parse(bead.updated_at)) unchanged += 1;
    else wanted.set(bead.id, bead);
  }
  const { puts, dropped } = withoutCircles(book, wanted);
  const updated = puts.filter(({ id }) => book.get(id) !== undefined).length;
  return { puts, created: puts.length - updated, updated, unchanged, dropped };
}

function withoutCircles(book: Book, wanted: ReadonlyMap<string, Bead>): Pick<ImportPlan, "puts" | "dropped"> {
  const dependencies = new Map<string, string[]>();
  for (const { id, depends_on } of wanted.values()) dependencies.set(id, depends_on);
  const dependsOn = (id: string) => dependencies.get(id) ?? book.dependsOn(id);
  const circular = circles([...wanted.keys()], dependsOn);
  if (circular.length === 0) return { puts: [...wanted.values()], dropped: [] };
  const suspects = circular.flatMap((component) => {
    const inside = new Set(component);
    return component
      .filter((id) => wanted.has(id))
      .map((id) => ({ id, edges: dependsOn(id).filter((other) => inside.has(other)), inside }));
  });
  for (const { id, inside } of suspects)
    dependencies.set(
      id,
      dependsOn(id).filter((other) => !inside.has(other)),
    );
  const dropped: { id: string; depends_on: string }[] = [];
  let judged = 0;
  for (const { id, edges } of suspects) {
    for (const edge of edges) {
      judged += 1;
      if (judged > MOST_JUDGED || reaches(edge, id, dependsOn)) dropped.push({ id, depends_on: edge });
      else dependencies.set(id, [...dependsOn(id), edge]);
    }
  }
  const puts = [...wanted.values()].map((bead) => ({ ...bead, depends_on: [...dependsOn(bead.id)] }));
  return { puts, dropped };
}
