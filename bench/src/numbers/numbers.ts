import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { openSqlite, type Reader } from "@nest/dispatch";
import { NumbersReadModel } from "@nest/hub";
import { systemClock } from "@nest/kit";
import { Samples } from "../figures/percentiles.ts";
import { ratioLine, short, table } from "../figures/table.ts";

const DAYS = 90;
const REPOSITORIES = 50;
const CONTRIBUTORS = 500;
const DAY_MS = 86_400_000;
const TIMES = 15;

/** What the page of numbers asks for: everything, and each filter. */
const questions = {
  everything: {},
  "a repository": { repo: "acme/repo-7" },
  "a contributor": { contributor: "contributor-9" },
  "a backend": { backend: "codex" },
  "a contributor in a repository": { repo: "acme/repo-7", contributor: "contributor-9" },
} as const;

/**
 * The numbers of 90 days in which each of 500 contributors worked in each of 50 repositories every day, beside one sum over the rows of
 * contributors in repositories, which is what would be read if nothing else were counted.
 */
export async function benchNumbers(to: {
  readonly print: (text: string) => void;
  readonly tell: (text: string) => void;
}) {
  const folder = await mkdtemp(join(tmpdir(), "nest-bench-numbers-"));
  const database = openSqlite(join(folder, "hub.sqlite"));
  try {
    const clock = systemClock();
    const today = Math.floor(clock.now() / DAY_MS);
    to.tell("writing 2.25 million rows");
    database.sqlite.exec(seed(today));
    const model = new NumbersReadModel({
      reader: database.reader,
      rollup: { upToDate: async () => true },
      ledger: { contributor: () => undefined, contributorByLogin: (login) => ({ id: login }) },
      clock,
    });
    const rows: string[][] = [];
    let slowest = 0;
    for (const [name, question] of Object.entries(questions)) {
      to.tell(name);
      const samples = new Samples();
      for (let nth = 0; nth < TIMES; nth += 1) {
        const began = performance.now();
        await model.read({ window: "90d", ...question });
        samples.add(performance.now() - began);
      }
      const { p50, p99 } = samples.sum();
      slowest = Math.max(slowest, p50);
      rows.push([name, short(p50), short(p99)]);
    }
    to.tell("one sum over everything");
    const naive = await sumOfAll(database.reader);
    to.print(table(["numbers of 90 days (ms)", "p50", "p99"], [...rows, ["one sum over all rows", short(naive), "-"]]));
    to.print(
      ratioLine("the slowest question", { name: "page", value: slowest }, { name: "sum over all rows", value: naive }),
    );
  } finally {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function sumOfAll(reader: Reader): Promise<number> {
  const began = performance.now();
  await reader.all("select at, backend, sum(assigned) from task_counts_daily where level = 3 group by at, backend");
  return performance.now() - began;
}

const counts = ["assigned", "completed", "verified", "failed_task", "wait_0", "wait_4", "wait_12"];
const list = (name: string, length: number) =>
  `${name}(v) as (select 0 union all select v + 1 from ${name} where v + 1 < ${length})`;

function seed(today: number): string {
  const columns = `level, at, repo, contributor_id, backend, ${counts.join(", ")}`;
  const sums = counts.map((name) => `sum(${name})`).join(", ");
  const added = (level: number, repo: string, contributor: string) => `
    insert into task_counts_daily (${columns}) select ${level}, at, ${repo}, ${contributor}, backend, ${sums}
    from task_counts_daily where level = 3 group by 2, 3, 4, 5;`;
  return `begin;
    with recursive ${list("days", DAYS)}, ${list("repos", REPOSITORIES)}, ${list("people", CONTRIBUTORS)}
    insert into task_counts_daily (${columns})
    select 3, ${today - DAYS} + days.v, 'acme/repo-' || repos.v, 'contributor-' || people.v,
      case people.v % 4 when 0 then 'claude' when 1 then 'codex' when 2 then 'gemini' else 'goose' end, 3, 2, 1, 1, 1, 1, 1
    from days, repos, people;
    ${added(2, "''", "contributor_id")} ${added(1, "repo", "''")} ${added(0, "''", "''")}
    with recursive ${list("hours", DAYS * 24)}, ${list("repos", REPOSITORIES + 1)}
    insert into queue_counts_hourly (repo, at, samples, ready, ready_most, withheld, withheld_most, sampled_at)
    select case repos.v when ${REPOSITORIES} then '' else 'acme/repo-' || repos.v end,
      ${(today - DAYS) * 24} + hours.v, 60, 600, 20, 300, 10, 0 from hours, repos;
    insert into counters (name, value) values ('counted_hours', ${today * 24 - 1});
    commit;`;
}
