import { systemClock } from "@nest/kit";
import { startLocalCodeHost } from "@nest/local-codehost";
import type { numbers } from "@nest/protocol";
import { expect, test } from "vitest";
import { FolderHere } from "../harness/folder-here.ts";
import { HubProcess, UNLIMITED } from "../harness/hub-process.ts";
import { plainSeed } from "../harness/plain-seed.ts";
import { of, RawRelay } from "../harness/raw-relay.ts";
import { RealPostgres } from "../real-postgres/real-postgres.ts";

const TOKEN = "hub-token-of-the-numbers";
const REPOSITORIES = ["acme/one"];
const SOON = { timeout: 20_000, interval: 100 };

test("two replicas count each task once, and kill -9 of the counting one loses and doubles nothing", async ({
  skip,
}) => {
  await using postgres = await RealPostgres.startIfPossible({ durable: true });
  if (postgres === undefined) return skip("no PostgreSQL server could be started");
  await using folder = await FolderHere.make("numbers");
  const codeHost = await startLocalCodeHost({
    dataDir: folder.in("codehost"),
    seed: plainSeed(TOKEN, REPOSITORIES, 60),
    clock: systemClock(),
  });
  const databaseUrl = await postgres.database();
  const start = (nth: number) =>
    HubProcess.start({
      ...{ folder: folder.in(`hub-${nth}`), apiUrl: codeHost.apiUrl, repos: REPOSITORIES },
      ...{ token: TOKEN, contribute: UNLIMITED, databaseUrl },
    });
  const one = await start(1);
  const two = await start(2);
  try {
    await one.refresh();
    const relays = [];
    for (const [hub, login] of [
      [one, "ada"],
      [two, "bob"],
    ] as const) {
      const { registration_token: token } = await hub.register(login);
      relays.push(await RawRelay.join(hub.socket, token, { cli_backend: login === "ada" ? "claude" : "codex" }));
    }
    const work = async (relay: RawRelay, tasks: number) => {
      for (let nth = 0; nth < tasks; nth += 1) {
        const task = await relay.ready();
        relay.send({ type: "task_complete", ...of(task), result: "completed" });
        await relay.next("task_ack");
      }
    };
    const [ada, bob] = relays;
    if (ada === undefined || bob === undefined) throw new Error("two relays were connected");
    await Promise.all([work(ada, 6), work(bob, 6)]);
    const read = (hub: HubProcess) => hub.call<numbers.NumbersReply>("GET", "/api/contribute/numbers?window=7d");
    // Whichever replica counts, it is killed while it may be at it.
    const reading = read(one).catch(() => undefined);
    await one.kill();
    await reading;
    await expect.poll(async () => (await two.status()).repositories.length, SOON).toBe(1);
    await work(bob, 3);
    await expect
      .poll(async () => {
        const { total, backends } = await read(two);
        return [
          total.assigned,
          total.completed,
          backends.map(({ backend, assigned }) => `${backend} ${assigned}`).sort(),
        ];
      }, SOON)
      .toEqual([15, 15, ["claude 6", "codex 9"]]);
    one.startAgain();
    await one.ready();
    const shown = async (hub: HubProcess) => (await read(hub)).total;
    expect(await shown(one)).toEqual(await shown(two));
  } finally {
    await Promise.all([one, two].map((hub) => hub[Symbol.asyncDispose]()));
    await codeHost.close();
  }
}, 120_000);
