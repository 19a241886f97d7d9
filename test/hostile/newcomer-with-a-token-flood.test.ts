import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";
import { RawRelay } from "../harness/raw-relay.ts";

// Somebody opens connections without end with one token, to fill the hub's memory or database, or the feed that people read.

const DAY_MS = 24 * 3_600_000;

/** Connects once more with this token: undefined when the hub accepts it, else the reason of the refusal. */
async function refusal(hub: TestHub, token: string, session: string): Promise<string | undefined> {
  const relay = new RawRelay(hub.socket);
  await relay.next("auth_challenge");
  relay.send({ type: "auth_response", registration_token: token, cli_backend: "claude", model: "", session });
  const answer = await Promise.race([relay.next("auth_ok"), relay.next("auth_failed")]);
  if (answer.type === "auth_ok") return undefined;
  expect((await relay.closed).code).toBe(1008);
  return answer.reason;
}

interface Feed {
  readonly activity: { readonly action: string; readonly username: string; readonly detail?: string }[];
  readonly retained: number;
}

async function feed(hub: TestHub): Promise<Feed> {
  await hub.settled();
  return (await hub.call("GET", "/api/contribute/activity?limit=100")).body as Feed;
}

test("one contributor has 32 connections; the next is told why not, and has one when another goes", async () => {
  await using hub = await TestHub.start();
  const { registration_token: token } = await hub.register("mallory");
  const relays: RawRelay[] = [];
  for (let nth = 0; nth < 32; nth += 1) relays.push(await RawRelay.join(hub.socket, token, { session: `s-${nth}` }));
  expect(await refusal(hub, token, "one-more")).toBe("too many connections: this contributor has 32 already");
  expect(hub.hub.gateway.connected).toBe(32);
  await (await hub.relay("ada")).ready();
  await relays[0]?.drop();
  await expect.poll(() => hub.hub.gateway.connected).toBe(32);
  expect(await refusal(hub, token, "one-more")).toBeUndefined();
});

test("connections that are gone without a goodbye make room for new ones", async () => {
  await using hub = await TestHub.start();
  const { registration_token: token } = await hub.register("ada");
  const relays: RawRelay[] = [];
  for (let nth = 0; nth < 32; nth += 1) relays.push(await RawRelay.join(hub.socket, token, { session: `s-${nth}` }));
  for (const relay of relays) relay.socket.pause();
  expect(await refusal(hub, token, "back")).toMatch(/too many/);
  await hub.clock.advance(5000);
  expect(await refusal(hub, token, "back")).toBeUndefined();
  for (const relay of relays) relay.socket.resume();
});

test("a relay that reconnects again and again has to wait for the minute to end, and adds only two lines to the feed", async () => {
  await using hub = await TestHub.start();
  const { registration_token: token } = await hub.register("mallory");
  const before = (await feed(hub)).retained;
  for (let nth = 0; nth < 120; nth += 1) await (await RawRelay.join(hub.socket, token)).drop();
  await expect.poll(() => hub.hub.gateway.connected).toBe(0);
  expect(await refusal(hub, token, "x")).toBe("too many connections in a minute; try again in 60 s");
  expect((await feed(hub)).retained - before).toBe(1);
  await hub.clock.advance(60_000);
  await expect.poll(async () => (await feed(hub)).activity[0]?.action).toBe("left");
  expect((await feed(hub)).retained - before).toBe(2);
  expect(await refusal(hub, token, "x")).toBeUndefined();
});

test("reconnecting under a new session name each time adds no more lines than that", async () => {
  await using hub = await TestHub.start();
  const { registration_token: token } = await hub.register("mallory");
  for (let nth = 0; nth < 100; nth += 1)
    await (await RawRelay.join(hub.socket, token, { session: `name-${nth}` })).drop();
  await hub.clock.advance(60_000);
  const { activity } = await feed(hub);
  expect(activity.filter(({ username }) => username === "mallory").length).toBeLessThan(50);
});

test("the feed has one line each for a relay that connects, flaps and stays away, with the machine's name", async () => {
  await using hub = await TestHub.start();
  const relay = await hub.relay("ada", { session: "desk" });
  await relay.drop();
  const back = await RawRelay.join(hub.socket, relay.token, { session: "desk" });
  await hub.clock.advance(90_000);
  expect((await feed(hub)).activity.map(({ action }) => action)).toEqual(["joined", "registered"]);
  await back.drop();
  await expect.poll(() => hub.hub.gateway.connected).toBe(0);
  await hub.clock.advance(59_999);
  expect((await feed(hub)).activity.map(({ action }) => action)).toEqual(["joined", "registered"]);
  await hub.clock.advance(1);
  await expect.poll(async () => (await feed(hub)).activity[0]).toMatchObject({ action: "left", detail: "desk claude" });
});

test("old lines of the feed are deleted by age and by number, a few at a time", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  await hub.hub.stop();
  const now = hub.clock.now();
  const lines = (from: number, to: number, at: number) => `
    insert into activity (id, at, login, action)
    with recursive numbers (n) as (select ${from} union all select n + 1 from numbers where n < ${to})
    select n, ${at}, 'mallory', 'joined' from numbers`;
  await hub.sql("delete from activity", lines(1, 900, now - 91 * DAY_MS), lines(901, 101_200, now - 89 * DAY_MS));
  await hub.boot();
  expect((await feed(hub)).retained).toBe(101_200);
  await hub.clock.advance(60_000);
  expect((await feed(hub)).retained).toBeGreaterThan(100_500);
  await expect
    .poll(async () => {
      await hub.clock.advance(1000);
      return (await feed(hub)).retained;
    })
    .toBe(100_000);
  await hub.clock.jump(2 * DAY_MS);
  await expect
    .poll(
      async () => {
        await hub.clock.advance(10_000);
        return (await feed(hub)).retained;
      },
      { timeout: 20_000 },
    )
    .toBe(1);
  await hub.relay("ada");
  expect((await feed(hub)).retained).toBe(3);
});

test("a relay that sends large frames without a pause is disconnected; one that sends them slowly is not", async () => {
  await using hub = await TestHub.start();
  const [flood, calm] = [await hub.relay("mallory"), await hub.relay("ada")];
  const frame = { type: "an_unknown_type", filling: "x".repeat(60_000) };
  for (let nth = 0; nth < 300; nth += 1) flood.send(frame);
  expect(await flood.closed).toEqual({ code: 1008, reason: "more than 16 MiB within ten seconds" });
  for (let nth = 0; nth < 300; nth += 1) {
    calm.send(frame);
    if (nth % 100 === 0) {
      await calm.pending();
      await hub.clock.advance(10_000);
    }
  }
  expect(await calm.pending()).toEqual([]);
});
