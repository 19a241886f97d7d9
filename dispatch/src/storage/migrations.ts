import { NestError } from "@nest/kit";

/** One numbered step of the schema; a step that landed is never edited. */
export interface Migration {
  readonly id: number;
  readonly name: string;
  readonly sql: string;
}

/**
 * The steps that a database lacks whose newest is `last`.
 *
 * @throws NestError `database_newer` when a newer release wrote it.
 */
export function newestOf(steps: readonly Migration[], last: number): readonly Migration[] {
  const newest = steps.at(-1)?.id ?? 0;
  if (last > newest) {
    throw new NestError(
      "database_newer",
      `the database was written by a newer release (step ${last}, this one knows ${newest})`,
      { hint: "run the newer release, or restore a backup made by this one" },
    );
  }
  return steps.filter(({ id }) => id > last);
}

export const migrations: readonly Migration[] = [
  {
    id: 1,
    name: "dispatch",
    sql: `
      create table contributors (
        id text primary key not null,
        login text not null,
        login_key text not null unique,
        token_digest text not null,
        tier text not null,
        registered_at integer not null,
        last_active_at integer,
        grants integer not null,
        completed integer not null,
        verified integer not null,
        failed integer not null,
        promotion_base integer not null,
        streak integer not null,
        paused_until integer not null
      ) without rowid;
      create unique index contributors_token on contributors (token_digest);

      create table tasks (
        -- The generation numbers the tasks of a hub: the shortest key there is.
        gen integer primary key,
        id text not null,
        contributor_id text not null references contributors (id),
        grant_number integer not null,
        identity text not null,
        repo text not null,
        number integer not null,
        item_key text not null,
        title text not null,
        url text not null,
        item_updated_at integer not null,
        assigned_at integer not null,
        accepted_at integer,
        expires_at integer not null,
        ended_at integer,
        outcome text,
        reason text,
        verdict text,
        failure_kind text,
        permanent integer,
        pr_url text,
        pr_state text
      );
      -- An issue has at most one live lease, and so has an identity.
      create unique index tasks_one_lease_an_issue on tasks (item_key) where ended_at is null;
      create unique index tasks_one_lease_an_identity on tasks (identity) where ended_at is null;
      create unique index tasks_grants on tasks (contributor_id, grant_number);
      create index tasks_pull_requests_pending on tasks (pr_state) where pr_state = 'pending';

      create table items (
        key text primary key not null,
        hold_reason text,
        hold_until integer not null,
        failures integer not null,
        last_failure_at integer not null,
        unverified_streak integer not null,
        last_unverified_at integer not null,
        held_as_of integer
      ) without rowid;

      create table counted_pull_requests (
        url text primary key not null,
        task_gen integer not null
      ) without rowid;

      create table activity (
        id integer primary key,
        at integer not null,
        login text not null,
        action text not null,
        -- What is said of a task is read from the task itself.
        task_gen integer,
        url text,
        detail text
      );

      create table audit (
        id integer primary key autoincrement,
        at integer not null,
        actor text not null,
        action text not null,
        subject text not null,
        before text,
        after text
      );

      create table claims (
        repo text not null,
        item_key text not null,
        pull_request_url text not null,
        until integer not null,
        primary key (repo, item_key)
      );

      create table counters (
        name text primary key,
        value integer not null
      );
      insert into counters (name, value) values ('gen', 0);
    `,
  },
  {
    id: 2,
    name: "settings",
    sql: `
      -- What admins decide, by name: each value is one JSON text.
      create table settings (
        name text primary key not null,
        value text not null
      );
    `,
  },
  {
    id: 3,
    name: "connections",
    sql: `
      -- The socket that holds a task; written where several replicas share the database.
      alter table tasks add column connection text;
    `,
  },
  {
    id: 4,
    name: "history",
    sql: `
      -- A contributor's tasks are followed back from one to the one before: an index over them all, spread over as many pages as
      -- there are contributors, cost every assignment more than the assignment itself.
      alter table contributors add column last_gen integer;
      alter table tasks add column previous_gen integer;
      update tasks set previous_gen = (select before.gen from tasks as before
        where before.contributor_id = tasks.contributor_id and before.grant_number = tasks.grant_number - 1);
      update contributors set last_gen = (select max(gen) from tasks where tasks.contributor_id = contributors.id);
      drop index if exists tasks_grants;
    `,
  },
  {
    id: 5,
    name: "one spelling of a pull request",
    sql: `
      -- What counted by its address counts by owner/name#number from now on: one pull request has many addresses.
      create table counted_by_name as
        with parts as (
          select substr(url, 1, instr(url, '/pull/') - 1) as repo,
            cast(substr(url, instr(url, '/pull/') + 6) as integer) as number, task_gen
          from counted_pull_requests where instr(url, '/pull/') > 0
        ), owners as (
          select repo, number, task_gen, rtrim(rtrim(rtrim(repo, replace(repo, '/', '')), '/'),
            replace(rtrim(rtrim(repo, replace(repo, '/', '')), '/'), '/', '')) as before_owner
          from parts
        )
        select lower(substr(repo, length(before_owner) + 1)) || '#' || number as name, min(task_gen) as task_gen
        from owners group by name;
      delete from counted_pull_requests;
      insert into counted_pull_requests (url, task_gen) select name, task_gen from counted_by_name;
      drop table counted_by_name;
    `,
  },
  {
    id: 6,
    name: "machines side by side",
    sql: `
      -- Several machines of one contributor may have no session name: each has its own task.
      drop index if exists tasks_one_lease_an_identity;
    `,
  },
  {
    id: 7,
    name: "accounts",
    sql: `
      -- The code host's number of an account; a login can pass to somebody else.
      alter table contributors add column account_id integer;
      create unique index contributors_account on contributors (account_id) where account_id is not null;
    `,
  },
];
