import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom, silentLog, VirtualClock } from "@nest/kit";
import type { ChannelConfig } from "@nest/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Channels } from "./channels.ts";

let root: string;
let server: Server;
let posted: { url: string; title: string }[] = [];
const live = new Set<string>();
const open: Channels<string>[] = [];
const clock = new VirtualClock(Date.parse("2026-01-10T23:00:00Z"));

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "nest-channels-"));
  posted = [];
  live.clear();
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    posted.push({ url: request.url ?? "", title: JSON.parse(Buffer.concat(chunks).toString()).title });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  for (const channels of open.splice(0)) await channels.close();
  server.closeAllConnections();
  server.close();
  await rm(root, { recursive: true });
});

const leading = (path: string, more: object = {}) => ({
  team: {
    kind: "webhook",
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    events: ["queue_empty"],
    ...more,
  } as ChannelConfig,
});

/** The channels of a replica: with a data folder of its own, or with one that it shares. */
async function replica(id: string, folder: string, configs: Readonly<Record<string, ChannelConfig>>) {
  live.add(id);
  const channels = await Channels.open<string>(
    {
      ...{ clock, random: seededRandom(1), log: silentLog(), environment: {}, address: () => undefined },
      sender: { kind: "hub", id: "hub-1" },
      dataFolder: join(root, folder),
      oneOf: { id, isLive: (other) => live.has(other) },
    },
    configs,
  );
  open.push(channels);
  return channels;
}

test("a secret at a replica with a data folder of its own does not go where another replica led its channel since", async () => {
  const [one, other] = [
    await replica("aaaaaaaa", "one", leading("/ours")),
    await replica("bbbbbbbb", "other", leading("/ours")),
  ];
  for (const channels of [one, other]) await channels.setSecret("team", "a-key-of-16-letters");
  await one.apply(leading("/theirs"));
  await one.clearSecret("team");
  await other.apply(leading("/theirs"));
  expect(await other.test("team")).toMatchObject({
    delivered: false,
    because: expect.stringContaining("save it again"),
  });
  expect(await other.status()).toMatchObject([{ secret: "unusable" }]);
  expect(posted).toEqual([]);
  await other.setSecret("team", "another-key-of-16-letters");
  expect(await other.test("team")).toMatchObject({ delivered: true });
});

test("of replicas that share a data folder, one goes on with what waits at another one that is gone; none takes what one has that runs", async () => {
  const quiet = leading("/ours", { quiet_hours: "22:00-07:00" });
  const first = await replica("aaaaaaaa", "shared", quiet);
  await first.setSecret("team", "a-key-of-16-letters");
  const second = await replica("bbbbbbbb", "shared", quiet);
  first.tell({ event: "queue_empty", at: "2026-01-10T23:00:00Z", title: "told at the first", text: "" });
  await second.apply(leading("/ours", { quiet_hours: "22:00-07:00", digest_minutes: 1 }));
  await second.takeOver();
  expect(await second.status()).toMatchObject([{ waiting: 0 }]);
  await first.close();
  live.delete("aaaaaaaa");
  const third = await replica("cccccccc", "shared", quiet);
  await Promise.all([second.takeOver(), third.takeOver()]);
  const waiting = (await Promise.all([second, third].map((channels) => channels.status()))).map(
    ([one]) => one?.waiting,
  );
  expect(waiting.sort()).toEqual([0, 1]);
  await clock.advance(9 * 3_600_000);
  await expect.poll(() => posted.map(({ title }) => title)).toEqual(["told at the first"]);
});
