import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Clock, systemClock } from "./clock.ts";
import { LiveFolder } from "./live-folder.ts";

let folder: string;
let now: number;
let parsed: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-live-"));
  now = Date.now() + 10_000;
  parsed = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const clock: Clock = { ...systemClock(), now: () => now };
const liveFolder = () =>
  new LiveFolder<string>({
    folder,
    ending: ".json",
    clock,
    parse: (name, text) => {
      parsed.push(name);
      return text === "nothing" ? undefined : text;
    },
  });
const put = async (name: string, text: string) => {
  await writeFile(join(folder, `.${name}`), text);
  await rename(join(folder, `.${name}`), join(folder, name));
};

test("a file is read once, and again when somebody has changed it", async () => {
  await put("ada.json", "one");
  const live = liveFolder();
  expect([await live.read("ada"), await live.read("ada")]).toEqual(["one", "one"]);
  expect(parsed).toEqual(["ada"]);
  await put("ada.json", "two");
  expect(await live.read("ada")).toBe("two");
});

test("with an age allowed, the disk is asked only when that has passed", async () => {
  await put("ada.json", "one");
  const live = liveFolder();
  const quick = { maxAgeMs: 1000 };
  expect(await live.read("ada", quick)).toBe("one");
  await put("ada.json", "two");
  now += 999;
  expect(await live.read("ada", quick)).toBe("one");
  now += 1001;
  expect(await live.read("ada", quick)).toBe("two");
  await put("ada.json", "three");
  live.forget("ADA");
  expect(await live.read("ada", quick)).toBe("three");
});

test("a file that is added or removed is noticed, whatever its spelling", async () => {
  const live = liveFolder();
  expect(await live.read("Ada")).toBeUndefined();
  await put("aDa.json", "one");
  expect([await live.read("ADA"), await live.spelling("ada"), await live.names()]).toEqual(["one", "aDa", ["aDa"]]);
  await rm(join(folder, "aDa.json"));
  expect([await live.read("ada"), await live.names()]).toEqual([undefined, []]);
});

test("a file that says nothing, another kind of file, and a folder that is not there give nothing", async () => {
  await put("ada.json", "nothing");
  await put("notes.txt", "no");
  await mkdir(join(folder, "deep.json.d"));
  const live = liveFolder();
  expect([await live.read("ada"), await live.read("notes"), await live.names()]).toEqual([
    undefined,
    undefined,
    ["ada"],
  ]);
  await rm(folder, { recursive: true });
  expect([await live.read("ada"), await live.names()]).toEqual([undefined, []]);
});

test("while an age has just passed, the old value is told and the disk is asked once for all who ask", async () => {
  await put("ada.json", "one");
  const live = liveFolder();
  const quick = { maxAgeMs: 1000 };
  await live.read("ada", quick);
  await put("ada.json", "two");
  now += 1500;
  expect(await Promise.all(Array.from({ length: 50 }, () => live.read("ada", quick)))).toEqual(Array(50).fill("one"));
  await expect.poll(() => live.read("ada", quick)).toBe("two");
  expect(parsed).toEqual(["ada", "ada"]);
});
