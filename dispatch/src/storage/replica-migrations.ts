import type { Migration } from "./migrations.ts";

/**
 * The tables through which replicas communicate. They are not part of the hub's data: no backup has them, and their steps are
 * numbered separately.
 */
export const replicaMigrations: readonly Migration[] = [
  {
    id: 3,
    name: "replicas",
    sql: `
      -- Live replicas: each updates its row every few seconds, using the database's clock.
      create table replica_members (
        id text primary key,
        backend bigint not null,
        seen_at timestamptz not null
      );

      -- The changes of each batch, for the other replicas; kept for a minute. A crash of the database may lose them: a
      -- replica that misses a batch reads everything again.
      create unlogged table replica_batches (
        number bigint primary key,
        replica text not null,
        made_at timestamptz not null default now(),
        record json not null
      );
      -- Each row is read once and deleted: compressing it is not worth the time.
      alter table replica_batches alter column record set storage external;

      -- Messages that are too long for a notification.
      create unlogged table replica_messages (
        id bigint generated always as identity primary key,
        made_at timestamptz not null default now(),
        body text not null
      );

      -- Keys with which every replica signs.
      create table replica_keys (
        name text primary key,
        value bytea not null
      );

      -- What the leader has read from the code host.
      create table replica_scans (
        repo text primary key,
        state text not null,
        error text,
        number bigint not null
      );
      create table replica_issues (
        repo text not null,
        number bigint not null,
        scan bigint not null,
        issue json not null,
        primary key (repo, number)
      );
      create index replica_issues_changed on replica_issues (repo, scan);
    `,
  },
];
