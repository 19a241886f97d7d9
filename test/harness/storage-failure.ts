import type { HubDatabase } from "@nest/dispatch";

/**
 * Makes every change of the settings that is larger than a page fail after a part of it was written: SQLite finds its disk
 * full, PostgreSQL ends the hub's connection. Returns a function that ends this.
 */
export async function failInTheMiddle(database: HubDatabase): Promise<() => Promise<void>> {
  if (database.kind === "sqlite") {
    const { sqlite } = database;
    const { page_count: pages } = sqlite.prepare("pragma page_count").get() as { page_count: number };
    sqlite.exec(`pragma max_page_count = ${pages}`);
    return async () => sqlite.exec("pragma max_page_count = 1073741823");
  }
  const { pool } = database;
  await pool.query(`
    create function ends_here() returns trigger language plpgsql as
      $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
    create trigger ends_here after insert or update on settings for each row execute function ends_here()`);
  return async () => {
    await pool.query("drop function ends_here cascade");
  };
}
