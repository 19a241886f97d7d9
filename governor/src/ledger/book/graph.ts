/** What a bead depends on, by its id; nothing for an id that is not in the ledger. */
export type DependsOn = (id: string) => readonly string[];

/** Whether `to` is among what `from` depends on, however indirectly, or is `from` itself. Visits each bead once. */
export function reaches(from: string, to: string, dependsOn: DependsOn): boolean {
  if (from === to) return true;
  const seen = new Set([from]);
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const next of dependsOn(id)) {
      if (next === to) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return false;
}

interface Visit {
  readonly id: string;
  readonly index: number;
  low: number;
  /** How many of its dependencies were looked at. */
  at: number;
}

/**
 * The circles among dependencies: sets of beads of which each depends on each other, or one that depends on itself. None of them
 * ever becomes ready. Takes time in proportion to beads and dependencies (Tarjan's strongly connected components, without
 * recursion, for a chain may be as long as the ledger).
 */
export function circles(ids: Iterable<string>, dependsOn: DependsOn): string[][] {
  const found: string[][] = [];
  const visits = new Map<string, Visit>();
  const unsettled: Visit[] = [];
  const settled = new Set<string>();
  const begin = (id: string, path: Visit[]) => {
    const visit = { id, index: visits.size, low: visits.size, at: 0 };
    visits.set(id, visit);
    unsettled.push(visit);
    path.push(visit);
  };
  for (const root of ids) {
    if (visits.has(root)) continue;
    const path: Visit[] = [];
    begin(root, path);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = dependsOn(top.id)[top.at++];
      if (next !== undefined) {
        const other = visits.get(next);
        if (other === undefined) begin(next, path);
        else if (!settled.has(next)) top.low = Math.min(top.low, other.index);
        continue;
      }
      path.pop();
      const below = path.at(-1);
      if (below !== undefined) below.low = Math.min(below.low, top.low);
      if (top.low !== top.index) continue;
      const component = unsettled.splice(unsettled.lastIndexOf(top)).map(({ id }) => id);
      for (const id of component) settled.add(id);
      if (component.length > 1 || dependsOn(top.id).includes(top.id)) found.push(component);
    }
  }
  return found;
}
