import { Ledger, noChanges, openPostgres, PostgresLedger, type ReplicaUpdate } from "@nest/dispatch";
import { Secret } from "@nest/kit";
import { durations } from "@nest/protocol";
import { expect, test } from "vitest";
import { RealPostgres } from "./real-postgres.ts";

const postgres = await RealPostgres.startIfPossible();

test.skipIf(postgres === undefined).each(["tasks", "items", "contributors", "settings"])(
  "a replica that loses its connection while it reads %s again still learns what it missed",
  async (table) => {
    const url = new Secret((await postgres?.database()) ?? "");
    const database = await openPostgres(url);
    let breaksAt: string | undefined;
    const breaking = async () => {
      const client = await database.connect();
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      const watched = async (...args: unknown[]) => {
        const text = typeof args[0] === "string" ? args[0] : "";
        const isBreaking =
          breaksAt !== undefined && new RegExp(`from ${breaksAt}\\b`).test(text) && !/begin/.test(text);
        if (!isBreaking) return query(...args);
        breaksAt = undefined;
        await client.end();
        throw new Error("the connection was lost");
      };
      return Object.assign(client, { query: watched });
    };
    const replica = (id: string, connect = database.connect) =>
      new PostgresLedger({ database: { ...database, connect }, replica: id, times: durations, now: () => 0 });
    const [one, other] = [replica("aaaaaaaa", breaking as typeof database.connect), replica("bbbbbbbb")];
    const [known] = [new Ledger(await one.load(), one), await other.load()];

    // The other writes while it believes to be alone: it keeps no record of the batch for anybody.
    await other.transact(
      () => ({ changes: { ...noChanges(), settings: new Map([["color", "blue"]]) }, effects: [] }),
      [],
    );
    const learn = (update: ReplicaUpdate | undefined) => {
      if (update?.kind === "everything") known.reload(update.rows);
      return undefined;
    };
    breaksAt = table;
    await expect(one.transact(learn, [])).rejects.toThrow("the connection was lost");
    expect(known.setting("color")).toBeUndefined();
    await one.transact(learn, []);
    expect(known.setting("color")).toBe("blue");
    await Promise.all([one.close(), other.close()]);
    await database.close();
  },
);
