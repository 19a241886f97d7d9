import { randomBytes } from "node:crypto";
import { Secret } from "@nest/kit";
import { Client } from "pg";
import { beforeEach, inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of a PostgreSQL server; `none` when it could not be started; undefined = the tests run on SQLite. */
    readonly postgres: string | undefined;
  }
}

const server = inject("postgres");

/** Whether this run's hubs keep their state in PostgreSQL. */
export const onPostgres = server !== undefined;

if (server === "none") beforeEach(({ skip }) => skip("no PostgreSQL server could be started"));

/** A new, empty database on the run's PostgreSQL server; undefined in a run on SQLite. */
export async function newDatabase(): Promise<Secret | undefined> {
  if (server === undefined) return undefined;
  const name = `hub_${randomBytes(6).toString("hex")}`;
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return new Secret(url.href);
}
