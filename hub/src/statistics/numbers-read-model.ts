import type { Reader } from "@nest/dispatch";
import type { Clock } from "@nest/kit";
import type { numbers } from "@nest/protocol";
import { type SettledHours, settledHours } from "./count-store.ts";
import { HOUR_MS, hourOf } from "./counting.ts";
import {
  type CountedRow,
  countsByContributor,
  countsByRepository,
  countsOverTime,
  type NumberQuery,
  type QueueRow,
  queueOverTime,
} from "./number-queries.ts";
import type { Rollup } from "./rollup.ts";
import { waitOf } from "./waits.ts";

const DAY_HOURS = 24;
/** A page that is opened shows tasks of a moment ago. */
const FRESH_MS = 5000;

const windows: Readonly<Record<numbers.NumberWindow, { readonly grain: "hour" | "day"; readonly length: number }>> = {
  "24h": { grain: "hour", length: 24 },
  "7d": { grain: "hour", length: 168 },
  "30d": { grain: "day", length: 30 },
  "90d": { grain: "day", length: 90 },
};

export interface NumbersReadModelDeps {
  readonly reader: Reader;
  readonly rollup: Pick<Rollup, "upToDate">;
  readonly ledger: {
    contributor(id: string): { readonly login: string } | undefined;
    contributorByLogin(login: string): { readonly id: string } | undefined;
  };
  readonly clock: Clock;
}

export interface NumbersQuestion {
  readonly window: numbers.NumberWindow;
  readonly repo?: string | undefined;
  readonly contributor?: string | undefined;
  readonly backend?: string | undefined;
}

/** Numbers over time as the page shows them. */
export class NumbersReadModel {
  readonly #deps: NumbersReadModelDeps;

  constructor(deps: NumbersReadModelDeps) {
    this.#deps = deps;
  }

  async read({ window, repo, contributor, backend }: NumbersQuestion): Promise<numbers.NumbersReply> {
    const { reader, rollup, ledger, clock } = this.#deps;
    const isCounted = await rollup.upToDate(FRESH_MS);
    const now = clock.now();
    const { grain, length } = windows[window];
    const last = grain === "hour" ? hourOf(now) : Math.floor(hourOf(now) / DAY_HOURS);
    // An unknown login is nobody's.
    const contributorId = contributor === undefined ? undefined : (ledger.contributorByLogin(contributor)?.id ?? "?");
    const query: NumberQuery = {
      grain,
      from: last - length + 1,
      repo: repo?.toLowerCase(),
      contributorId,
      backend: backend?.toLowerCase(),
    };
    const settled: SettledHours = (await settledHours(reader)) ?? { sealed: 0, pending: new Set() };
    const rows = await countsOverTime(reader, query, settled);
    const queue = new Map((await queueOverTime(reader, query)).map((row) => [row.at, row]));
    const repositories = await countsByRepository(reader, query, settled);
    const contributors = await countsByContributor(reader, query, settled);
    const unit = (grain === "hour" ? 1 : DAY_HOURS) * HOUR_MS;
    const byMoment = Map.groupBy(rows, ({ at }) => at);
    return {
      window,
      grain,
      counted_until: new Date(isCounted ? now : Math.min(now, (settled.sealed + 1) * HOUR_MS)).toISOString(),
      complete: isCounted && settled.sealed >= hourOf(now) - 2,
      points: Array.from({ length }, (_, nth) => {
        const at = query.from + nth;
        return pointOf(new Date(at * unit).toISOString(), byMoment.get(at) ?? [], queue.get(at));
      }),
      total: countsOf(sumOf(rows)),
      backends: [...Map.groupBy(rows, ({ name }) => name)]
        .map(([name, of]) => ({ backend: name, ...countsOf(sumOf(of)) }))
        .sort((a, b) => b.assigned - a.assigned),
      repositories: repositories.map(({ name, counts }) => ({ repo: name, ...countsOf(counts) })),
      contributors: contributors.map(({ name, counts }) => ({
        contributor_id: name,
        github_username: ledger.contributor(name)?.login ?? name,
        ...countsOf(counts),
      })),
      usage: "not reported",
    };
  }
}

function pointOf(from: string, rows: readonly CountedRow[], queue: QueueRow | undefined): numbers.Point {
  return {
    from,
    ...countsOf(sumOf(rows)),
    ...(queue === undefined ? {} : { queue: lengthOf(queue) }),
    failed_by_backend: Object.fromEntries(
      rows.map(({ name, counts }) => [name, countsOf(counts).failed] as const).filter(([, n]) => n > 0),
    ),
  };
}

function lengthOf({ samples, ready, ready_most, withheld, withheld_most }: QueueRow): numbers.QueueLength {
  return { ready: ready / samples, ready_most, withheld: withheld / samples, withheld_most };
}

function sumOf(rows: readonly CountedRow[]): Map<string, number> {
  const sum = new Map<string, number>();
  for (const { counts } of rows) for (const [column, n] of counts) sum.set(column, (sum.get(column) ?? 0) + n);
  return sum;
}

function countsOf(counts: ReadonlyMap<string, number>): numbers.Counts {
  const of = (column: string) => counts.get(column) ?? 0;
  const failures = {
    environment: of("failed_environment"),
    task: of("failed_task"),
    unspecified: of("failed_unspecified"),
    expired: of("expired"),
  };
  const wait = waitOf(counts);
  return {
    assigned: of("assigned"),
    completed: of("completed"),
    no_work_needed: of("no_work_needed"),
    blocked: of("blocked"),
    verified: of("verified"),
    failed: failures.environment + failures.task + failures.unspecified + failures.expired,
    failures,
    returned: of("returned"),
    ...(wait === undefined ? {} : { wait }),
  };
}
