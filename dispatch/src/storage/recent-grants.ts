import type { Changes } from "../leases/changes.ts";
import type { Reader } from "./reader.ts";
import { readGrantsSince } from "./rows.ts";

/** A contributor's latest assignments: `times[0]` is when number `first` (from 1) was made. */
interface Recent {
  first: number;
  times: number[];
}

/** The times of each contributor's assignments in the longest window (ms); limits need no older ones. */
export class RecentGrants {
  readonly #windowMs: number;
  readonly #byContributor = new Map<string, Recent>();

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Replaces the known assignments with those in the database. */
  async load(reader: Reader, now: number): Promise<void> {
    const rows = await readGrantsSince(reader, now - this.#windowMs);
    this.#byContributor.clear();
    for (const row of rows) this.add(String(row.contributor_id), Number(row.grant_number), Number(row.assigned_at));
  }

  /** Adds the assignments of a durable batch. */
  remember(changes: Changes): void {
    for (const [taskId, { nth }] of changes.granted) {
      const lease = changes.leases.get(taskId);
      if (lease !== undefined) this.add(lease.contributorId, nth, lease.assignedAt);
    }
  }

  /** Adds assignment `nth` of a contributor; assignments of one contributor must be added in order. */
  add(contributorId: string, nth: number, at: number): void {
    const known = this.#byContributor.get(contributorId);
    if (known === undefined || nth !== known.first + known.times.length) {
      this.#byContributor.set(contributorId, { first: nth, times: [at] });
      return;
    }
    known.times.push(at);
    let old = 0;
    while (old < known.times.length && (known.times[old] ?? at) + this.#windowMs <= at) old += 1;
    if (old < 64 && old * 2 < known.times.length) return;
    known.times.splice(0, old);
    known.first += old;
  }

  /** When assignment `nth` was made; undefined when it is older than any window. */
  at(contributorId: string, nth: number): number | undefined {
    const known = this.#byContributor.get(contributorId);
    return known === undefined ? undefined : known.times[nth - known.first];
  }
}
