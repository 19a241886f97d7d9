import type { ServerResponse } from "node:http";
import { Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { constants, gunzipSync } from "node:zlib";
import type { Activity } from "@nest/dispatch";
import { VirtualClock } from "@nest/kit";
import { expect, test, vi } from "vitest";
import type { ReadModel } from "../operations/read-model.ts";
import type { Visibility } from "../operations/visibility.ts";
import { EventStream } from "./event-stream.ts";

const MEBIBYTE = 1024 * 1024;
const everything = { visibility: () => true, anonymousAt: undefined, isStill: async () => true };

/** A hub whose fleet takes this many bytes as JSON. */
function modelOf(bytes: number): ReadModel {
  const relay = { connection_id: "conn-1", note: "" };
  return {
    refreshed: () => undefined,
    latest: async () => [],
    entry: (line: unknown) => line,
    status: () => ({}),
    *fleet() {
      relay.note = relay.note === "" ? "x".repeat(bytes) : relay.note;
      yield;
      return { clankers: [{ ...relay }], work: [] };
    },
  } as unknown as ReadModel;
}

/** A watcher whose connection is so slow that it has read nothing yet. */
function slowWatcher(): ServerResponse {
  const response = new Writable({ write: () => {} });
  return Object.assign(response, { writeHead: () => response }) as unknown as ServerResponse;
}

/** A watcher that keeps what it was told. */
function hearing(): { readonly response: ServerResponse; readonly told: (string | Buffer)[] } {
  const response = slowWatcher();
  const told: (string | Buffer)[] = [];
  response.write = ((part: string | Buffer) => told.push(part) > 0) as typeof response.write;
  return { response, told };
}

/** A small fleet, and how often it was looked through. */
function countedModel(): { readonly model: ReadModel; readonly made: () => number } {
  const model = modelOf(1);
  const fleet = model.fleet.bind(model);
  let made = 0;
  Object.assign(model, {
    fleet: (visibility: Visibility) => {
      made += 1;
      return fleet(visibility);
    },
  });
  return { model, made: () => made };
}

test("a watcher that still reads the first snapshot of a large fleet is not disconnected", async () => {
  const clock = new VirtualClock();
  const stream = new EventStream(modelOf(3 * MEBIBYTE), clock);
  const watcher = slowWatcher();
  await stream.watch(watcher, everything, { wantsChanges: true });
  for (let beat = 0; beat < 5; beat += 1) {
    stream.change();
    await clock.jump(1000);
  }
  expect([watcher.destroyed, stream.watchers]).toEqual([false, 1]);
  stream.close();
});

test("whoever reads nothing of what comes after it is let go", async () => {
  const clock = new VirtualClock();
  const stream = new EventStream(modelOf(MEBIBYTE / 2), clock);
  const watcher = slowWatcher();
  await stream.watch(watcher, everything);
  for (let beat = 0; beat < 5; beat += 1) {
    stream.change();
    await clock.jump(1000);
  }
  await expect.poll(() => [watcher.destroyed, stream.watchers]).toEqual([true, 0]);
  stream.close();
});

test("a heartbeat that scripts see comes every ten seconds, whatever happens or does not", async () => {
  const clock = new VirtualClock();
  const stream = new EventStream(modelOf(1), clock);
  const told: string[] = [];
  const watcher = slowWatcher();
  await stream.watch(watcher, everything);
  watcher.write = ((text: string) => told.push(text) > 0) as typeof watcher.write;
  const began = clock.now();
  for (let seconds = 0; seconds < 25; seconds += 1) await clock.jump(1000);
  const beats = [10_000, 20_000].map((ms) => ({ at: new Date(began + ms).toISOString() }));
  expect(told).toEqual(beats.map((beat) => `event: heartbeat\ndata: ${JSON.stringify(beat)}\n\n`));
  stream.close();
});

/** A stream with a watcher whose repository cannot be read any more, which nobody announced; what the watcher was told since. */
async function unannouncedFailure() {
  let state = "ready";
  const model = Object.assign(modelOf(1), { status: () => ({ repositories: [{ repo: "acme/one", state }] }) });
  const clock = new VirtualClock();
  const stream = new EventStream(model, clock);
  const told: string[] = [];
  const watcher = slowWatcher();
  await stream.watch(watcher, everything);
  watcher.write = ((text: string) => told.push(text) > 0) as typeof watcher.write;
  state = "failing";
  return { clock, stream, told };
}

test("a status that nobody announced as changed is told with the next heartbeat, and once", async () => {
  const { clock, stream, told } = await unannouncedFailure();
  for (let seconds = 0; seconds < 35; seconds += 1) await clock.jump(1000);
  const status = () => told.join("").match(/event: status\ndata: .*/g);
  const once = ['event: status\ndata: {"repositories":[{"repo":"acme/one","state":"failing"}]}'];
  await vi.waitFor(() => expect(status()).toEqual(once));
  await clock.jump(10_000);
  await setTimeout(50);
  expect(status()).toEqual(once);
  stream.close();
});

test("somebody who joins does not keep such a status from those who watch already", async () => {
  const { clock, stream, told } = await unannouncedFailure();
  await stream.watch(slowWatcher(), everything);
  for (let seconds = 0; seconds < 15; seconds += 1) await clock.jump(1000);
  await vi.waitFor(() => expect(told.join("")).toContain('"state":"failing"'));
  stream.close();
});

test("whoever left before the first word is not kept", async () => {
  const stream = new EventStream(modelOf(1), new VirtualClock());
  const watcher = slowWatcher();
  watcher.destroy();
  await stream.watch(watcher, everything);
  expect(stream.watchers).toBe(0);
  stream.close();
});

test("pages that open together get one snapshot, each as it reads it, and one that cannot be made fails for all of them", async () => {
  const { model, made } = countedModel();
  const stream = new EventStream(model, new VirtualClock());
  const watchers = Array.from({ length: 20 }, (_, nth) => ({ isPacked: nth % 2 === 1, ...hearing() }));
  const welcomed = await Promise.all(
    watchers.map(({ response, isPacked }) => stream.watch(response, everything, { wantsChanges: true, isPacked })),
  );
  expect([made(), stream.watchers, welcomed.every(Boolean)]).toEqual([1, 20, true]);
  for (const { told, isPacked } of watchers) {
    const bytes = Buffer.concat(told.map((part) => Buffer.from(part)));
    const text = isPacked ? gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }) : bytes;
    expect(text.toString()).toMatch(
      /event: hello\n[\s\S]*event: work\ndata: \{"clankers":\[\{"connection_id":"conn-1"/,
    );
  }
  Object.assign(model, {
    // biome-ignore lint/correctness/useYield: it fails before its first step.
    *fleet() {
      throw new Error("no fleet");
    },
  });
  const refused = await Promise.allSettled([1, 2, 3].map(() => stream.watch(slowWatcher(), everything)));
  expect([refused.map(({ status }) => status), stream.watchers]).toEqual([["rejected", "rejected", "rejected"], 20]);
  stream.close();
});

test("who is refused together with others hears of it at once, whatever has to be sent to those who watch", async () => {
  const clock = new VirtualClock();
  const model = modelOf(1);
  let isSlow = true;
  const held = Promise.withResolvers<void>();
  const stream = new EventStream(model, clock);
  await stream.watch(slowWatcher(), everything);
  Object.assign(model, { refreshed: () => (isSlow ? held.promise : undefined) });
  stream.change();
  await clock.jump(1000);
  isSlow = false;
  const joining = [stream.watch(slowWatcher(), everything)];
  await new Promise(setImmediate);
  stream.change();
  await clock.jump(1000);
  joining.push(stream.watch(slowWatcher(), everything));
  await new Promise(setImmediate);
  const later = Promise.withResolvers<void>();
  Object.assign(model, {
    refreshed: () => later.promise,
    // biome-ignore lint/correctness/useYield: it fails before its first step.
    *fleet() {
      throw new Error("no fleet");
    },
  });
  held.resolve();
  expect((await Promise.allSettled(joining)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  later.resolve();
  stream.close();
});

test("a watcher that cannot be written to is let go, and the others are told on", async () => {
  const clock = new VirtualClock();
  const stream = new EventStream(modelOf(1), clock);
  const [broken, other] = [hearing(), hearing()];
  for (const { response } of [broken, other]) await stream.watch(response, everything);
  broken.response.write = () => {
    throw new Error("cannot be written to");
  };
  for (const id of [1, 2]) stream.tell([{ id }] as unknown as Activity[]);
  await clock.jump(400);
  await expect.poll(() => [broken.response.destroyed, other.told.join("").includes('{"id":2}')]).toEqual([true, true]);
  stream.close();
});

test("changes sent because a watcher joins reach the other delta watchers, even if the new one has left meanwhile", async () => {
  let note = "before";
  const model = Object.assign(modelOf(1), {
    *fleet() {
      yield;
      return { clankers: [{ connection_id: "conn-1", note }], work: [] };
    },
  });
  const stream = new EventStream(model, new VirtualClock());
  const deltaWatcher = slowWatcher();
  const told: string[] = [];
  deltaWatcher.write = ((text: string) => told.push(text) > 0) as typeof deltaWatcher.write;
  await stream.watch(deltaWatcher, everything, { wantsChanges: true });
  note = "after";
  const gone = slowWatcher();
  const joining = stream.watch(gone, everything, { wantsChanges: true });
  gone.destroy();
  await joining;
  expect(told.join("")).toContain('event: changes\ndata: {"clankers":[{"connection_id":"conn-1","note":"after"}]');
  stream.close();
});

test("a line of the feed is told at once, and what comes soon after it together", async () => {
  const clock = new VirtualClock();
  const stream = new EventStream(modelOf(1), clock);
  const watcher = slowWatcher();
  await stream.watch(watcher, everything);
  const told: string[] = [];
  watcher.write = ((text: string) => told.push(text) > 0) as typeof watcher.write;
  const tell = (id: number) => stream.tell([{ id }] as unknown as Activity[]);
  const lineOf = (id: number) => `event: activity\ndata: {"id":${id}}\n\n`;
  for (const id of [1, 2, 3]) tell(id);
  expect(told).toEqual([lineOf(1)]);
  await clock.jump(400);
  expect(told.slice(1)).toEqual([lineOf(2) + lineOf(3)]);
  tell(4);
  await clock.jump(399);
  expect(told).toHaveLength(2);
  await clock.advance(2000);
  await vi.waitFor(() => expect(told.slice(2)).toContain(lineOf(4)));
  const before = told.length;
  tell(5);
  expect(told.slice(before)).toEqual([lineOf(5)]);
  stream.close();
});

test("many watchers are told each line once and in order, though only a few are written to at a time", async () => {
  const clock = new VirtualClock();
  const stream = new EventStream(modelOf(1), clock);
  const watchers = Array.from({ length: 30 }, () => ({ response: slowWatcher(), told: [] as string[] }));
  for (const { response, told } of watchers) {
    await stream.watch(response, everything);
    response.write = ((text: string) => {
      const until = performance.now() + 0.1;
      while (performance.now() < until);
      return told.push(text) > 0;
    }) as typeof response.write;
  }
  for (let id = 1; id <= 5; id += 1) stream.tell([{ id }] as unknown as Activity[]);
  const mostAtOnce = watchers.filter(({ told }) => told.length > 0).length;
  expect(mostAtOnce).toBeLessThan(30);
  watchers[29]?.response.destroy();
  await clock.jump(400);
  const lines = Array.from({ length: 5 }, (_, nth) => `event: activity\ndata: {"id":${nth + 1}}\n\n`).join("");
  for (const { told } of watchers.slice(0, 29)) await expect.poll(() => told.join("")).toBe(lines);
  stream.close();
});

test("whoever joins is told each line once, and so are those who watch already", async () => {
  const clock = new VirtualClock();
  const stream = new EventStream(modelOf(1), clock);
  const tell = (id: number) => stream.tell([{ id }] as unknown as Activity[]);
  const toldTo = async () => {
    const watcher = slowWatcher();
    const told: string[] = [];
    watcher.write = ((text: string) => told.push(text) > 0) as typeof watcher.write;
    await stream.watch(watcher, everything);
    return () => [...told.join("").matchAll(/\{"id":(\d+)\}/g)].map(([, id]) => id);
  };
  const first = await toldTo();
  const ids = Array.from({ length: 15 }, (_, nth) => String(nth + 1));
  for (const id of ids.slice(0, 12)) tell(Number(id));
  const second = await toldTo();
  for (const id of ids.slice(12)) tell(Number(id));
  await clock.jump(1000);
  const inOrder = (told: (string | undefined)[]) => told.toSorted((a, b) => Number(a) - Number(b));
  expect([first(), inOrder(second())]).toEqual([ids, ids]);
  stream.close();
});
