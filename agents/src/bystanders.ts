import { readlink } from "node:fs/promises";
import { type ProcessRow, processes } from "./processes.ts";

/** The process namespace that a machine starts with; a container has another. */
const OF_THE_MACHINE = "pid:[4026531836]";

/** The processes that were in the relay's container before a run began. */
export interface Bystanders {
  /** Start time by process id. */
  readonly there: ReadonlyMap<number, string>;
  /** Processes that adopt orphans: those above the relay, and the multiplexer's server. */
  readonly adopters: ReadonlySet<number>;
  /** The relay's own session and user. */
  readonly session: number;
  readonly user: number;
}

/**
 * Lists the container's processes before a run that shares its process namespace with the relay. Undefined unless the relay is
 * alone in its container, with only an init above it: anywhere else a new process may belong to somebody else. A process that a
 * person starts in the container from outside has no visible parent, so it is never taken for the run's.
 */
export async function lookAround(multiplexer?: number): Promise<Bystanders | undefined> {
  if (process.platform !== "linux" || (process.pid !== 1 && process.ppid !== 1)) return undefined;
  if ((await readlink("/proc/self/ns/pid").catch(() => OF_THE_MACHINE)) === OF_THE_MACHINE) return undefined;
  const rows = await processes();
  const adopters = new Set([1, ...(multiplexer === undefined ? [] : [multiplexer])]);
  const session = rows.find(({ pid }) => pid === process.pid)?.session ?? 0;
  return {
    there: new Map(rows.map((row) => [row.pid, row.startedAt])),
    adopters,
    session,
    user: process.getuid?.() ?? 0,
  };
}

/**
 * The new processes whose chain of parents ends at an adopter: everything that an agent started, in whatever session and with
 * whatever environment. Pure.
 */
export function cameSince(rows: readonly ProcessRow[], before: Bystanders): readonly ProcessRow[] {
  const byNumber = new Map(rows.map((row) => [row.pid, row]));
  const wasThere = (row: ProcessRow) => before.there.get(row.pid) === row.startedAt;
  const isAdopted = (row: ProcessRow): boolean => {
    let at: ProcessRow | undefined = row;
    for (let steps = 0; at !== undefined && steps < rows.length; steps += 1) {
      if (before.adopters.has(at.parent)) return true;
      at = byNumber.get(at.parent);
      if (at === undefined || wasThere(at)) return false;
    }
    return false;
  };
  return rows.filter(
    (row) =>
      row.user === before.user &&
      row.session !== before.session &&
      !before.adopters.has(row.pid) &&
      !wasThere(row) &&
      isAdopted(row),
  );
}
