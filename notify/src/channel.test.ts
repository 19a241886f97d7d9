import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom, silentLog, VirtualClock } from "@nest/kit";
import type { ChannelConfig } from "@nest/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Channel } from "./channel.ts";
import type { Message } from "./message.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: { title: string; text: string; delivery: string };
}

const ref = (variable: string) => `\${${variable}}`;
const MINUTE = 60_000;
let clock: VirtualClock;
let received: Received[] = [];
/** What the receiver answers next; 200 when there is no more. */
let answers: (number | "nothing")[] = [];
let server: Server;
let folder = "";
let channel: Channel | undefined;

beforeEach(async () => {
  clock = new VirtualClock(Date.parse("2026-01-10T12:00:00Z"));
  [received, answers] = [[], []];
  folder = await mkdtemp(join(tmpdir(), "nest-channel-"));
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
    const answer = answers.shift() ?? 200;
    if (answer === "nothing") return;
    response.writeHead(answer, answer === 302 ? { location: "/elsewhere" } : {}).end("hush-hush: an answer");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  await channel?.close();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

function open(config: Partial<ChannelConfig> = {}): Channel {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
  const whole = { kind: "webhook", url, events: ["run_failed"], secret: ref("KEY"), ...config } as ChannelConfig;
  channel = new Channel("team", whole, {
    ...{
      clock,
      random: seededRandom(1),
      log: silentLog(),
      sender: { kind: "nest", id: "nest-1" } as const,
      dataFolder: folder,
    },
    environment: { KEY: "a-key-to-sign-with" },
    address: () => "https://nest.example",
    onWaiting: () => undefined,
  });
  return channel;
}

const aMessage = (title: string): Message => ({ event: "run_failed", at: "2026-01-10T12:00:00.000Z", title, text: "" });
const titles = () => received.map(({ body }) => body.title);
/** Moves the clock on, a little at a time, until the receiver has so much. */
async function until(count: number, stepMs: number): Promise<void> {
  await expect
    .poll(async () => {
      if (received.length < count) await clock.advance(stepMs);
      return received.length;
    })
    .toBeGreaterThanOrEqual(count);
}

test("messages go out one by one, in their order", async () => {
  const opened = open();
  for (const title of ["one", "two", "three"]) opened.tell(aMessage(title));
  await until(3, 0);
  expect(titles()).toEqual(["one", "two", "three"]);
  await expect.poll(() => opened.status()).toMatchObject({ waiting: 0, delivered: 3, given_up: 0 });
});

test("a message gets three tries under one id, and the next one goes out all the same", async () => {
  const opened = open();
  answers = [500, 503, 500];
  opened.tell(aMessage("lost"));
  opened.tell(aMessage("next"));
  await until(4, 250);
  expect(titles()).toEqual(["lost", "lost", "lost", "next"]);
  expect(new Set(received.map(({ body }) => body.delivery)).size).toBe(2);
  await expect.poll(() => opened.status()).toMatchObject({ waiting: 0, delivered: 1, given_up: 1 });
});

test("what a receiver refuses for good is not tried again, and its answer is told without its words", async () => {
  const opened = open();
  answers = [404];
  opened.tell(aMessage("lost"));
  await expect.poll(() => opened.status()).toMatchObject({ last_error: { because: "it answered with 404" } });
  await clock.advance(10 * MINUTE);
  expect(received).toHaveLength(1);
  expect(JSON.stringify(await opened.status())).not.toContain("hush");
});

test("a redirect is not followed", async () => {
  const opened = open();
  answers = [302];
  expect(await opened.sendNow(aMessage("here"))).toMatchObject({
    because: "it answered with a redirect (302), which is not followed",
  });
  expect(received).toHaveLength(1);
});

test("a receiver that does not answer within 10 seconds is as good as away", async () => {
  const opened = open();
  answers = ["nothing"];
  const sent = opened.sendNow(aMessage("here"));
  await expect.poll(() => received.length).toBe(1);
  await clock.advance(10_000);
  expect(await sent).toMatchObject({ kind: "failed", because: "no answer within 10 s" });
});

test("a receiver that is away is told by the code of its error alone", async () => {
  const opened = open({ url: "http://127.0.0.1:1/hush-hush" } as Partial<ChannelConfig>);
  expect(await opened.sendNow(aMessage("here"))).toMatchObject({
    because: expect.stringMatching(/^it cannot be reached/),
  });
  expect(JSON.stringify(await opened.status())).not.toContain("hush");
});

test("what comes in quiet hours waits and is told afterwards as one", async () => {
  await clock.jump(11 * 60 * MINUTE);
  const opened = open({ quiet_hours: "22:00-07:00", timezone: "UTC" });
  for (const title of ["one", "two", "three"]) opened.tell(aMessage(title));
  await clock.advance(60 * MINUTE);
  expect([received.length, (await opened.status()).waiting]).toEqual([0, 3]);
  await clock.advance(7 * 60 * MINUTE);
  await until(1, 0);
  expect(titles()).toEqual(["3 messages that waited"]);
  expect(received[0]?.body.text).toMatch(/one\n.*two\n.*three$/);
});

test("one message alone that waited is told as it is", async () => {
  await clock.jump(11 * 60 * MINUTE);
  const opened = open({ quiet_hours: "22:00-07:00" });
  opened.tell(aMessage("one"));
  await clock.advance(8 * 60 * MINUTE);
  await until(1, 0);
  expect(titles()).toEqual(["one"]);
});

test("after twenty in an hour the rest waits for its turn and comes as one, however many there were", async () => {
  const opened = open();
  for (let n = 0; n < 20; n += 1) {
    opened.tell(aMessage(`${n}`));
    await until(n + 1, 0);
  }
  for (let n = 0; n < 500; n += 1) opened.tell(aMessage("more"));
  await clock.advance(50 * MINUTE);
  expect([received.length, (await opened.status()).waiting]).toEqual([20, 500]);
  await clock.advance(10 * MINUTE);
  await until(21, 0);
  expect(titles().at(-1)).toBe("500 messages that waited");
  expect(received[20]?.body.text).toMatch(/and 480 more$/);
});

test("messages are gathered for the time of a digest, and come as one", async () => {
  const opened = open({ digest_minutes: 30 });
  opened.tell({ ...aMessage("one"), at: new Date(clock.now()).toISOString() });
  await clock.advance(20 * MINUTE);
  opened.tell({ ...aMessage("two"), at: new Date(clock.now()).toISOString() });
  await clock.advance(9 * MINUTE);
  expect([received.length, (await opened.status()).waiting]).toEqual([0, 2]);
  await clock.advance(MINUTE);
  await until(1, 0);
  expect(titles()).toEqual(["2 messages that waited"]);
});

test("without its secret nothing is sent, and the channel says what is missing", async () => {
  const opened = open({ secret: null });
  expect(await opened.sendNow(aMessage("here"))).toMatchObject({ because: "it has no secret yet to sign with" });
  const other = open({ secret: ref("NOT_SET") });
  expect(await other.sendNow(aMessage("here"))).toMatchObject({ because: "the variable NOT_SET is not set" });
  expect(await other.status()).toMatchObject({ secret: "unusable", secret_problem: "the variable NOT_SET is not set" });
  expect(received).toEqual([]);
});
