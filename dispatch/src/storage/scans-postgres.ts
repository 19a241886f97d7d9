import type { PoolClient } from "pg";
import type { Claim, QueueIssue } from "../queue/entry.ts";
import { claimsOfRows, type Scan, type SharedScan, type SharedScanStore } from "../queue/scan-store.ts";
import type { PostgresDatabase } from "./postgres.ts";
import { jsonOf } from "./postgres-text.ts";

interface Known {
  scan: number;
  readonly issues: Map<number, QueueIssue>;
}

/** Shares what the leader has read from the code host with the other replicas. Only changes are written and read. */
export class PostgresScans implements SharedScanStore {
  readonly #database: PostgresDatabase;
  /** Tells the other replicas that a repository was read. */
  readonly #announce: (repo: string) => Promise<void>;
  /** The rows of each repository as last written: by issue number, the exact JSON text. */
  readonly #written = new Map<string, Map<number, string>>();
  readonly #known = new Map<string, Known>();

  constructor(database: PostgresDatabase, announce: (repo: string) => Promise<void>) {
    this.#database = database;
    this.#announce = announce;
  }

  async claims(): Promise<Map<string, Map<string, Claim>>> {
    return claimsOfRows(await this.#database.reader.all("select * from claims"));
  }

  /** Marks all shared scans as outdated: a replica that starts now waits until the leader has read them again. */
  async begin(): Promise<void> {
    this.#written.clear();
    await this.#database.pool.query("update replica_scans set state = 'scanning'");
  }

  async save({ repo, issues, claims }: Scan): Promise<void> {
    const before = this.#written.get(repo) ?? (await this.#read(repo));
    const after = new Map(issues.map((issue) => [issue.number, jsonOf(issue)]));
    const changed = [...after].filter(([number, text]) => before.get(number) !== text);
    const gone = [...before.keys()].filter((number) => !after.has(number));
    this.#written.delete(repo);
    await this.#transaction(async (client) => {
      const scan = await nextScan(client, repo, "ready", null);
      await client.query("delete from replica_issues where repo = $1 and number = any($2)", [repo, gone]);
      await client.query(
        `insert into replica_issues (repo, number, scan, issue)
         select $1, changed.number, $2, changed.issue::json from unnest($3::bigint[], $4::text[]) as changed (number, issue)
         on conflict (repo, number) do update set scan = excluded.scan, issue = excluded.issue`,
        [repo, scan, changed.map(([number]) => number), changed.map(([, text]) => text)],
      );
      await client.query("delete from claims where repo = $1", [repo]);
      await client.query(
        `insert into claims (repo, item_key, pull_request_url, until)
         select $1, * from unnest($2::text[], $3::text[], $4::bigint[])`,
        [
          repo,
          [...claims.keys()],
          [...claims.values()].map(({ pullRequestUrl }) => pullRequestUrl),
          [...claims.values()].map(({ until }) => until),
        ],
      );
    });
    this.#written.set(repo, after);
    await this.#announce(repo);
  }

  async failed(repo: string, because: string): Promise<void> {
    await this.#transaction((client) => nextScan(client, repo, "failing", because));
    await this.#announce(repo);
  }

  async drop(repo: string): Promise<void> {
    this.#written.delete(repo);
    await this.#transaction(async (client) => {
      for (const table of ["replica_issues", "replica_scans", "claims"])
        await client.query(`delete from ${table} where repo = $1`, [repo]);
    });
    await this.#announce(repo);
  }

  /** The repositories that have a shared scan. */
  async repositories(): Promise<string[]> {
    return (await this.#database.reader.all("select repo from replica_scans order by repo")).map(({ repo }) =>
      String(repo),
    );
  }

  /** The current shared scan of a repository. An issue that has not changed since the last call is the same object. */
  async read(repo: string): Promise<SharedScan | undefined> {
    const { reader } = this.#database;
    const [row] = await reader.all("select * from replica_scans where repo = ?1", repo);
    if (row === undefined) {
      this.#known.delete(repo);
      return undefined;
    }
    const known = this.#known.get(repo) ?? { scan: -1, issues: new Map<number, QueueIssue>() };
    const changed = await reader.all(
      "select issue from replica_issues where repo = ?1 and scan > ?2",
      repo,
      known.scan,
    );
    const numbers = await reader.all("select number from replica_issues where repo = ?1", repo);
    for (const { issue } of changed) known.issues.set((issue as QueueIssue).number, issue as QueueIssue);
    const kept = new Set(numbers.map(({ number }) => Number(number)));
    for (const number of known.issues.keys()) if (!kept.has(number)) known.issues.delete(number);
    known.scan = Number(row.number);
    this.#known.set(repo, known);
    const claims = claimsOfRows(await reader.all("select * from claims where repo = ?1", repo)).get(repo) ?? new Map();
    return {
      state: row.state === "ready" || row.state === "failing" ? row.state : "scanning",
      error: row.error === null ? undefined : String(row.error),
      issues: [...known.issues.values()],
      claims,
    };
  }

  async #read(repo: string): Promise<Map<number, string>> {
    const rows = await this.#database.reader.all(
      "select number, issue::text as issue from replica_issues where repo = ?1",
      repo,
    );
    return new Map(rows.map(({ number, issue }) => [Number(number), String(issue)]));
  }

  async #transaction(act: (client: PoolClient) => Promise<unknown>): Promise<void> {
    const client = await this.#database.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query("begin");
      await act(client);
      await client.query("commit");
    } catch (thrown) {
      broken = thrown as Error;
      throw thrown;
    } finally {
      client.release(broken);
    }
  }
}

async function nextScan(client: PoolClient, repo: string, state: string, error: string | null): Promise<number> {
  const { rows } = await client.query<{ number: string }>(
    `insert into replica_scans as scans (repo, state, error, number) values ($1, $2, $3, 1)
     on conflict (repo) do update set state = excluded.state, error = excluded.error, number = scans.number + 1
     returning number`,
    [repo, state, error],
  );
  return Number(rows[0]?.number);
}
