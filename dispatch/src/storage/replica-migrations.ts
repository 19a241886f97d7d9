import type { Migration } from "./migrations.ts";
import { writeBatchFunction } from "./write-batch.ts";

/** What replicas tell each other is no data of the hub: it is in no backup, and has steps of its own. */
export const replicaMigrations: readonly Migration[] = [
  {
    id: 3,
    name: "replicas",
    sql: `
      -- Who is alive: written every few seconds, by the database's own clock.
      create table replica_members (
        id text primary key,
        backend bigint not null,
        seen_at timestamptz not null
      );

      -- What each batch changed, for the other replicas; kept for a minute. A crash of the database may lose it: a replica that
      -- misses a batch reads everything anew.
      create unlogged table replica_batches (
        number bigint primary key,
        replica text not null,
        made_at timestamptz not null default now(),
        record json not null
      );
      -- Read once and thrown away: not worth compressing.
      alter table replica_batches alter column record set storage external;

      -- Messages too long for a notification.
      create unlogged table replica_messages (
        id bigint generated always as identity primary key,
        made_at timestamptz not null default now(),
        body text not null
      );

      -- Keys that every replica signs with.
      create table replica_keys (
        name text primary key,
        value bytea not null
      );

      -- What the replica that reads the code host has read.
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
      ${writeBatchFunction()}
    `,
  },
];
