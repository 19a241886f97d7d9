import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface SeededHistory {
  readonly tasks: number;
  readonly events: number;
  /** Ids of tasks from all over the history. */
  readonly ids: readonly string[];
  /** Numbers of issues from all over the history. */
  readonly issues: readonly number[];
  readonly bytes: number;
}

const EVENTS_A_TASK = 4;
const TASKS_AN_ISSUE = 5;
const CONTRIBUTORS = 2000;
const SPAN_MS = 730 * 24 * 3_600_000;
const SAMPLES = 400;
/** One issue that was tried this often. */
export const MUCH_TRIED = { number: 1, attempts: 10_000 } as const;

/** Fills the database of a hub that is not running with tasks that ended, and four lines of the feed for each. */
export function seedHistory(dataFolder: string, events: number, tell: (text: string) => void): SeededHistory {
  const file = databaseIn(dataFolder);
  const database = new DatabaseSync(file);
  database.exec("pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -400000");
  const tasks = Math.ceil(events / EVENTS_A_TASK);
  const ids: string[] = [];
  const issues: number[] = [];
  const every = Math.max(1, Math.floor(tasks / SAMPLES));
  database.exec("begin");
  addContributors(database);
  const addTask = database.prepare(`insert into tasks (gen, id, contributor_id, grant_number, identity, repo, number,
    item_key, title, url, item_updated_at, assigned_at, accepted_at, expires_at, ended_at, outcome, pr_state)
    values (?, ?, ?, 1, ?, 'acme/one', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'none')`);
  const addEvent = database.prepare("insert into activity (id, at, login, action, task_gen) values (?, ?, ?, ?, ?)");
  const actions = ["picked up", "released: connection lost", "resumed", "failed"] as const;
  const began = Date.now() - SPAN_MS;
  for (let gen = 1; gen <= tasks; gen += 1) {
    const id = `task-${gen.toString(36)}-0123456789ab`;
    const contributor = `c-${gen % CONTRIBUTORS}`;
    const number =
      gen <= MUCH_TRIED.attempts ? MUCH_TRIED.number : 2 + Math.floor((gen * 7919) % (tasks / TASKS_AN_ISSUE));
    const at = began + Math.floor((gen / tasks) * SPAN_MS);
    const url = `https://code.test/acme/one/issues/${number}`;
    const times = [at, at, at + 1000, at + 1_800_000, at + 600_000] as const;
    addTask.run(
      gen,
      id,
      contributor,
      contributor,
      number,
      `acme/one#${number}`,
      `Issue ${number}`,
      url,
      ...times,
      "failed",
    );
    for (const [nth, action] of actions.entries())
      addEvent.run(gen * EVENTS_A_TASK + nth, at + nth, `login-${gen % CONTRIBUTORS}`, action, gen);
    if (gen % every === 0) {
      ids.push(id);
      issues.push(number);
    }
    if (gen % 100_000 === 0) tell(`seeding: ${gen} of ${tasks} tasks`);
  }
  database.prepare("update counters set value = ? where name = 'gen'").run(tasks);
  database.exec("commit; analyze");
  const { bytes } = database
    .prepare("select page_count * page_size as bytes from pragma_page_count, pragma_page_size")
    .get() as {
    bytes: number;
  };
  database.close();
  return { tasks, events: tasks * EVENTS_A_TASK, ids, issues, bytes };
}

function addContributors(database: DatabaseSync): void {
  const add =
    database.prepare(`insert into contributors (id, login, login_key, token_digest, tier, registered_at, grants,
    completed, verified, failed, promotion_base, streak, paused_until) values (?, ?, ?, ?, 'newcomer', 0, 0, 0, 0, 0, 0, 0, 0)`);
  for (let nth = 0; nth < CONTRIBUTORS; nth += 1) add.run(`c-${nth}`, `login-${nth}`, `login-${nth}`, `digest-${nth}`);
}

/** The one database below a hub's data folder. */
function databaseIn(folder: string): string {
  const names = readdirSync(folder, { recursive: true }).map(String);
  const found = names.find((name) => /\.(db|sqlite)$/.test(name));
  if (found === undefined) throw new Error(`no database below ${folder}: ${names.join(", ")}`);
  return join(folder, found);
}
