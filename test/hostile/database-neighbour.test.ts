import { randomBytes } from "node:crypto";
import { Secret } from "@nest/kit";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";
import { RealPostgres } from "../real-postgres/real-postgres.ts";

// Another program has a role of its own in the hub's PostgreSQL. It may connect, listen and notify: every role may.
let postgres: RealPostgres | undefined;
beforeAll(async () => {
  postgres = await RealPostgres.startIfPossible();
});
afterAll(() => postgres?.[Symbol.asyncDispose]());

const HEARTBEAT = { authorization: "Bearer heartbeat-secret-of-the-tests" };
const beat = (id: string) => ({ nest_id: id, org: "acme", is_public: true, version: "1.0.0" });

/** Two replicas of one hub, and a neighbour in their database. */
class Scene implements AsyncDisposable {
  readonly heard: string[] = [];
  readonly one: TestHub;
  readonly other: TestHub;
  readonly neighbour: Client;

  private constructor(one: TestHub, other: TestHub, neighbour: Client) {
    this.one = one;
    this.other = other;
    this.neighbour = neighbour;
    neighbour.on("notification", ({ payload }) => this.heard.push(payload ?? ""));
  }

  static async set(server: RealPostgres): Promise<Scene> {
    const address = await server.database();
    const databaseUrl = new Secret(address);
    const one = await TestHub.start({ config: { databaseUrl }, seed: 1 });
    const other = await TestHub.start({ config: { databaseUrl }, seed: 2 });
    const owner = new Client({ connectionString: address });
    await owner.connect();
    const role = `neighbour_${randomBytes(4).toString("hex")}`;
    await owner.query(`create role ${role} login password 'neighbour'`);
    await owner.end();
    const url = new URL(address);
    [url.username, url.password] = [role, "neighbour"];
    const neighbour = new Client({ connectionString: url.href });
    await neighbour.connect();
    await neighbour.query("listen nest");
    // Each replica learns at its next heartbeat that there is another.
    for (const hub of [one, other]) await hub.clock.advance(2000);
    return new Scene(one, other, neighbour);
  }

  notify(payload: string): Promise<unknown> {
    return this.neighbour.query("select pg_notify('nest', $1)", [payload]);
  }

  /** A replica sends to others only once it knows of them, by their heartbeat: retry until it does. */
  async heartbeatReachesBoth(): Promise<void> {
    const beatOnce = async () => {
      for (const hub of [this.one, this.other]) await hub.clock.advance(2000);
      await this.one.call("POST", "/api/heartbeat", beat("honest-nest"), HEARTBEAT);
      return this.registered(this.other);
    };
    await expect.poll(beatOnce, { timeout: 20_000 }).toEqual(["honest-nest"]);
    // Notifications arrive in order: everything sent before this one has arrived too.
    await this.one.call("POST", "/api/heartbeat", beat("last-nest"), HEARTBEAT);
    await expect.poll(() => this.registered(this.other), { timeout: 20_000 }).toEqual(["honest-nest", "last-nest"]);
  }

  async registered(hub: TestHub): Promise<string[]> {
    const { nests } = (await hub.call("GET", "/api/registry")).body as { nests: { id: string }[] };
    return nests.map(({ id }) => id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.neighbour.end();
    await this.one[Symbol.asyncDispose]();
    await this.other[Symbol.asyncDispose]();
  }
}

test("a heartbeat reaches every replica, and the neighbour who listens reads nothing of it", async ({ skip }) => {
  if (postgres === undefined) return skip();
  await using scene = await Scene.set(postgres);
  await scene.heartbeatReachesBoth();
  expect(scene.heard.length).toBeGreaterThan(0);
  expect(scene.heard.join("\n")).not.toMatch(/honest-nest|acme|heartbeat/);
});

test("notifications of the neighbour are ignored: forged ones, replayed ones and garbage", async ({ skip }) => {
  if (postgres === undefined) return skip();
  await using scene = await Scene.set(postgres);
  const forged = [
    { from: "x", topic: "heartbeat", body: null },
    { from: "x", topic: "heartbeat", body: beat("forged-nest") },
    { from: "x", topic: "registry", body: {}, question: "q" },
    { from: "x", topic: "relays", body: {}, question: "q" },
    { from: "x", topic: "refresh soon", body: null },
    { from: "x", topic: "__proto__", body: {} },
  ];
  for (const message of forged) await scene.notify(`public message ${JSON.stringify(message)}`);
  for (const payload of [
    "",
    " ",
    "public",
    "public stored x",
    "public stored 1e9",
    "public message",
    "public batch x y",
  ])
    await scene.notify(payload);
  await scene.heartbeatReachesBoth();
  // The neighbour replays sealed messages that it recorded a moment ago: they must have no effect.
  const sealed = scene.heard.filter((payload) => /^public message [A-Za-z0-9+/=]+$/.test(payload));
  expect(sealed.length).toBeGreaterThan(0);
  const before = await lastBeat(scene.other);
  await scene.other.clock.advance(1000);
  for (const payload of sealed) await scene.notify(payload);
  await scene.one.call("POST", "/api/heartbeat", beat("second-nest"), HEARTBEAT);
  await expect
    .poll(() => scene.registered(scene.other), { timeout: 10_000 })
    .toEqual(["honest-nest", "last-nest", "second-nest"]);
  expect(await lastBeat(scene.other)).toBe(before);
  for (const hub of [scene.one, scene.other]) {
    expect(await scene.registered(hub)).toEqual(["honest-nest", "last-nest", "second-nest"]);
    expect((await hub.call("GET", "/api/health")).status).toBe(200);
  }
});

async function lastBeat(hub: TestHub): Promise<string | undefined> {
  const { nests } = (await hub.call("GET", "/api/registry")).body as {
    nests: { id: string; lastHeartbeat?: string }[];
  };
  return JSON.stringify(nests.find(({ id }) => id === "honest-nest"));
}
