import type { TestProject } from "vitest/node";
import { RealPostgres } from "../real-postgres/real-postgres.ts";

let server: RealPostgres | undefined;

/** Starts one PostgreSQL server for all tests of a run; where there can be none, they are skipped with the reason printed. */
export async function setup(project: TestProject): Promise<void> {
  server = await RealPostgres.startIfPossible();
  project.provide("postgres", server === undefined ? "none" : await server.database());
}

/** Ends it after them. */
export async function teardown(): Promise<void> {
  await server?.[Symbol.asyncDispose]();
}
