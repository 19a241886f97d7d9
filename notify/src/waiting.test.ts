import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MOST_WAITING, mergedWaiting, type Waiting, WaitingFile } from "./waiting.ts";

let folder: string;
const live = new Set<string>();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-waiting-"));
  live.clear();
});
afterEach(() => rm(folder, { recursive: true }));

/** One of several programs that share the folder. */
function program(id: string): WaitingFile {
  live.add(id);
  return new WaitingFile(folder, silentLog(), { id, isLive: (other) => live.has(other) });
}

const waits = (...titles: string[]): Waiting => ({
  messages: titles.map((title) => ({ event: "queue_empty", at: "2026-01-10T12:00:00Z", title, text: "" })),
  ...{ left_out: 0, held_back: true, sent_at: [] },
});

async function left(file: WaitingFile, ...titles: string[]): Promise<void> {
  file.write(new Map([["team", waits(...titles)]]));
  await file.settled();
}

const titlesIn = (all: readonly ReadonlyMap<string, Waiting>[]) =>
  all.flatMap((one) => [...one.values()].flatMap(({ messages }) => messages.map(({ title }) => title))).sort();

test("programs that share a folder do not write over each other, and leave alone what one that runs has", async () => {
  const [first, second] = [program("aaaaaaaa"), program("bbbbbbbb")];
  await left(first, "one");
  await left(second, "two");
  expect((await second.takeOver()).waiting).toEqual([]);
  expect(titlesIn([await first.read(), await second.read()])).toEqual(["one", "two"]);
});

test("what a program left that is gone is taken over by one of the others, once", async () => {
  await left(program("aaaaaaaa"), "one");
  await writeFile(join(folder, "notifications-waiting.json"), JSON.stringify({ team: waits("from before") }));
  live.delete("aaaaaaaa");
  const others = [program("bbbbbbbb"), program("cccccccc")];
  const taken = await Promise.all(others.map((other) => other.takeOver()));
  expect(titlesIn(taken.flatMap(({ waiting }) => waiting))).toEqual(["from before", "one"]);
  for (const { done } of taken) await done();
  expect(await readdir(folder)).toEqual([]);
});

test("what was taken over and not written down yet is not lost when that program ends too", async () => {
  await left(program("aaaaaaaa"), "one");
  live.delete("aaaaaaaa");
  await program("bbbbbbbb").takeOver();
  live.delete("bbbbbbbb");
  expect(titlesIn((await program("cccccccc").takeOver()).waiting)).toEqual(["one"]);
});

test("a program that is alone has the file of every release, and takes nothing over", async () => {
  await left(program("aaaaaaaa"), "one");
  const alone = new WaitingFile(folder, silentLog());
  await left(alone, "mine");
  expect((await alone.takeOver()).waiting).toEqual([]);
  expect((await readdir(folder)).sort()).toEqual(["notifications-waiting-aaaaaaaa.json", "notifications-waiting.json"]);
});

test("what waited in two is one: nothing is counted twice or forgotten, and what was being sent keeps its id", () => {
  const own = { ...waits("mine"), sent_at: [3] };
  const inHand = { id: "abc", message: waits("in hand").messages[0]! };
  const other = { ...waits("theirs"), in_hand: inHand, left_out: 2, sent_at: [1] };
  const both = mergedWaiting(own, other);
  expect(both).toMatchObject({ in_hand: inHand, left_out: 2, sent_at: [1, 3] });
  expect(both.messages.map(({ title }) => title)).toEqual(["theirs", "mine"]);
  const many = waits(...Array.from({ length: MOST_WAITING }, (_, nth) => String(nth)));
  const full = mergedWaiting({ ...many, in_hand: inHand }, other);
  expect([full.messages.length, full.left_out]).toEqual([MOST_WAITING, 2 + 2]);
});
