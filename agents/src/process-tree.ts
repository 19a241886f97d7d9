import { type Bystanders, cameSince } from "./bystanders.ts";
import { type ProcessRow, processes } from "./processes.ts";

/** What identifies a run's processes: the first one, the run's mark, and every member seen so far. */
export interface ProcessTree {
  readonly root: number;
  readonly mark: string;
  /** Start time by process id, of the members seen so far; grows with every search. */
  readonly seen: Map<number, string>;
  /** Set where nothing groups a run's processes: everything that started after this belongs to the run. */
  readonly since?: Bystanders | undefined;
}

/**
 * The members of a tree among `rows`: descendants of the first process or of anybody seen before, its process group and
 * session, and everybody who carries the run's mark, whatever group or session they moved to. Pure.
 */
export function membersOf(rows: readonly ProcessRow[], tree: ProcessTree): readonly ProcessRow[] {
  const members = new Map<number, ProcessRow>();
  const belongs = (row: ProcessRow) =>
    row.mark === tree.mark ||
    tree.seen.get(row.pid) === row.startedAt ||
    ((row.group === tree.root || row.session === tree.root) && (tree.seen.size === 0 || tree.seen.has(tree.root)));
  for (const row of rows) if (row.pid !== process.pid && belongs(row)) members.set(row.pid, row);
  if (tree.since !== undefined) for (const row of cameSince(rows, tree.since)) members.set(row.pid, row);
  for (let grew = true; grew; ) {
    grew = false;
    for (const row of rows) {
      if (members.has(row.pid) || !members.has(row.parent) || row.pid === process.pid) continue;
      members.set(row.pid, row);
      grew = true;
    }
  }
  return [...members.values()];
}

/** Searches the system's processes for the living members of a tree, zombies left out. Remembers them in `tree.seen`. */
export async function findTree(tree: ProcessTree): Promise<readonly ProcessRow[]> {
  const members = membersOf(await processes(), tree);
  for (const member of members) tree.seen.set(member.pid, member.startedAt);
  return members;
}
