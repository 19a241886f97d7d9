import { type Bystanders, cameSince } from "./bystanders.ts";
import { type ProcessRow, processes } from "./processes.ts";

/** What is known of a tree of processes: its first one, its mark, and everybody seen in it so far. */
export interface ProcessTree {
  readonly root: number;
  readonly mark: string;
  /** Members seen earlier, `pid` to `startedAt`; grows with every look. */
  readonly seen: Map<number, string>;
  /** Where nothing keeps a run's processes together: everybody who came since then is one of them. */
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

/** Looks at the system now: the living members of a tree, zombies left out. Remembers them in `tree.seen`. */
export async function findTree(tree: ProcessTree): Promise<readonly ProcessRow[]> {
  const members = membersOf(await processes(), tree);
  for (const member of members) tree.seen.set(member.pid, member.startedAt);
  return members;
}
