import { createServer, get, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { VirtualClock } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NestEventStream } from "./event-stream.ts";

let clock: VirtualClock;
let stream: NestEventStream;
let server: Server;
let mayWatch = true;
let open: IncomingMessage[] = [];

beforeEach(async () => {
  clock = new VirtualClock();
  stream = new NestEventStream({ clock, hello: () => ({}) });
  [open, mayWatch] = [[], true];
  server = createServer((request, response) => {
    const who = request.headers["x-who"] as string;
    if (!stream.watch(response, who, () => mayWatch)) response.writeHead(503).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  stream.close();
  server.closeAllConnections();
  server.close();
});

async function watch(who: string): Promise<number | undefined> {
  const { port } = server.address() as AddressInfo;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, agent: false, headers: { "x-who": who } }, resolve).on("error", reject);
  });
  response.on("error", () => undefined).resume();
  open.push(response);
  return response.statusCode;
}

async function watchOften(who: string, times: number): Promise<(number | undefined)[]> {
  const statuses: (number | undefined)[] = [];
  for (let nth = 0; nth < times; nth += 1) statuses.push(await watch(who));
  return statuses;
}

test("one person has ten streams and no more, and keeps nobody else from theirs", async () => {
  expect(await watchOften("ada", 11)).toEqual([...Array.from({ length: 10 }, () => 200), 503]);
  expect(await watch("rob")).toBe(200);
});

test("a stream that is closed makes room for another one", async () => {
  await watchOften("ada", 10);
  open[0]?.destroy();
  await expect.poll(() => stream.watchers).toBe(9);
  expect(await watch("ada")).toBe(200);
});

test("all people together have two hundred streams", async () => {
  for (let nth = 0; nth < 20; nth += 1) await watchOften(`person-${nth}`, 10);
  expect([stream.watchers, await watch("one more")]).toEqual([200, 503]);
});

test("who may not watch any more is disconnected", async () => {
  await watch("ada");
  mayWatch = false;
  await clock.advance(60_000);
  await expect.poll(() => stream.watchers).toBe(0);
});
