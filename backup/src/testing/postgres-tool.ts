import { Client } from "pg";

/** Changes a PostgreSQL database directly, without the product, for tests. Integers are read as text. */
export async function postgresTool(url: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    async run(sql: string): Promise<Record<string, unknown>[]> {
      const answer = await client.query<Record<string, unknown>>(sql);
      return [answer].flat().at(-1)?.rows ?? [];
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
