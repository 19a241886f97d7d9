import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom, silentLog, VirtualClock } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ChannelConfig } from "../config/notification-schema.ts";
import { Notifier } from "./notifier.ts";

const HOUR = 3_600_000;
const ref = (variable: string) => `\${${variable}}`;
let clock: VirtualClock;
let folder = "";
let server: Server;
let received: { title: string; delivery: string }[] = [];
/** Whether the receiver answers. */
let answers = true;
let open: Notifier[] = [];

beforeEach(async () => {
  clock = new VirtualClock(Date.parse("2026-01-10T23:00:00Z"));
  folder = await mkdtemp(join(tmpdir(), "nest-notifier-"));
  [received, open, answers] = [[], [], true];
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push(JSON.parse(Buffer.concat(chunks).toString()));
    if (answers) response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  await Promise.all(open.map((notifier) => notifier.close()));
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

const file = () => join(folder, "notifications-waiting.json");
const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
const channels = (more: Partial<ChannelConfig> = {}) => {
  const plain = { kind: "webhook", url: url(), events: ["run_failed"], secret: ref("KEY"), ...more } as ChannelConfig;
  return { notifications: { channels: { team: plain } } };
};
const quiet = { quiet_hours: "22:00-07:00" };

async function start(more: Partial<ChannelConfig> = quiet): Promise<Notifier> {
  const deps = {
    ...{ clock, random: seededRandom(1), log: silentLog(), nestId: "nest-1", dataFolder: folder },
    ...{ environment: { KEY: "a-key-to-sign-with" }, address: () => undefined, webBase: "https://github.com" },
    redact: (text: string) => text,
  };
  const notifier = await Notifier.open(deps, channels(more));
  open.push(notifier);
  return notifier;
}

const fail = (notifier: Notifier, detail: string) =>
  notifier.tell({ at: new Date(clock.now()).toISOString(), action: "run failed", agent: "scanner", detail });
const waiting = async (notifier: Notifier) => (await notifier.status())[0]?.waiting;
const onDisk = async () => JSON.parse(await readFile(file(), "utf8").catch(() => "{}")).team?.messages?.length;

test("what waits for the end of quiet hours survives a restart, and comes as one", async () => {
  const before = await start();
  fail(before, "one");
  fail(before, "two");
  await before.close();
  const after = await start();
  expect(await waiting(after)).toBe(2);
  await clock.advance(8 * HOUR);
  await expect.poll(() => received.map(({ title }) => title)).toEqual(["2 messages that waited"]);
  await expect.poll(onDisk).toBe(0);
});

test("it survives a kill -9 as well, for the nest's user alone", async () => {
  fail(await start(), "one");
  await expect.poll(onDisk).toBe(1);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  expect(await waiting(await start())).toBe(1);
});

test("a message that was being sent when the nest was stopped is sent again under the same id", async () => {
  answers = false;
  const before = await start({});
  fail(before, "one");
  await expect.poll(() => received.length).toBe(1);
  await before.close();
  answers = true;
  await start({});
  await expect.poll(() => received.length).toBe(2);
  expect(received[1]?.delivery).toBe(received[0]?.delivery);
});

test("a restart is no way around the limit of an hour", async () => {
  const before = await start({});
  for (let n = 0; n < 20; n += 1) {
    fail(before, `${n}`);
    await expect.poll(() => received.length).toBe(n + 1);
  }
  await before.close();
  const after = await start({});
  fail(after, "more");
  await clock.advance(HOUR / 2);
  expect([received.length, await waiting(after)]).toEqual([20, 1]);
});

test("however much waits, a hundred messages are kept, and of the rest the number", async () => {
  const before = await start();
  for (let n = 0; n < 3000; n += 1) fail(before, "x".repeat(5000));
  await before.close();
  expect(await onDisk()).toBe(100);
  expect((await stat(file())).size).toBeLessThan(200_000);
  expect(await waiting(await start())).toBe(3000);
});

const ONE = { event: "run_failed", at: "2026-01-10T12:00:00.000Z", title: "one", text: "" };
const TOO_LARGE = {
  team: { messages: [ONE], left_out: 0, held_back: false, sent_at: [] },
  more: "x".repeat(9_000_000),
};

test.each(["{", '{"team": {"messages": "all"}}', '{"team": 1, "other": {"messages": []}}', JSON.stringify(TOO_LARGE)])(
  "a file that holds no messages keeps no nest from starting",
  async (text) => {
    await writeFile(file(), text);
    const notifier = await start({});
    expect(await waiting(notifier)).toBe(0);
    fail(notifier, "one");
    await expect.poll(() => received.length).toBe(1);
  },
);

test("a channel whose settings change goes on with what waits; one that is removed loses it with its secret", async () => {
  const notifier = await start({ ...quiet, secret: null });
  await notifier.setSecret("team", "a-key-of-16-letters");
  fail(notifier, "one");
  await notifier.apply(channels({ quiet_hours: "22:00-08:00", secret: null }));
  expect(await waiting(notifier)).toBe(1);
  await notifier.apply({ notifications: { channels: {} } });
  await notifier.apply(channels({ ...quiet, secret: null }));
  expect((await notifier.status())[0]).toMatchObject({ waiting: 0, secret: "missing" });
});
