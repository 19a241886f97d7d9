import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SESSION_MS } from "@nest/auth";
import { seededRandom, VirtualClock } from "@nest/kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NestSessions } from "./sessions.ts";

let folder = "";
let clock: VirtualClock;
const random = seededRandom(1);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-sessions-"));
  clock = new VirtualClock();
});
afterEach(() => rm(folder, { recursive: true }));
const open = () => NestSessions.open({ dataFolder: folder, clock, random });

test("a session holds for seven days, also over a restart, and no longer", async () => {
  const token = await (await open()).begin({ login: "ada", id: 1 });
  await clock.jump(SESSION_MS - 1);
  expect((await open()).loginOf(token)).toBe("ada");
  await clock.jump(1);
  expect((await open()).loginOf(token)).toBeUndefined();
});

test("an ended session stays ended over a restart, and tells who watches", async () => {
  const sessions = await open();
  const [one, other] = [await sessions.begin({ login: "ada", id: 1 }), await sessions.begin({ login: "ada", id: 1 })];
  let told = 0;
  sessions.onEnd(() => (told += 1));
  await sessions.end(one);
  await sessions.end("unknown");
  expect(told).toBe(1);
  const again = await open();
  expect([again.loginOf(one), again.loginOf(other)]).toEqual([undefined, "ada"]);
});

describe("on a disk that refuses to be written", () => {
  const file = () => join(folder, "dashboard-sessions.json");
  /** A folder in the file's place: nobody can rename a file over it, not even the superuser. */
  const refuse = async () => {
    await rename(file(), `${file()}.before`);
    await mkdir(file());
  };
  const allow = async () => {
    await rm(file(), { recursive: true, force: true });
    await rename(`${file()}.before`, file());
  };
  const begun = async () => {
    const sessions = await open();
    return { sessions, token: await sessions.begin({ login: "ada", id: 1 }) };
  };

  test("a session that was ended stays ended: it is written down as soon as the disk takes it", async () => {
    const { sessions, token } = await begun();
    await refuse();
    await expect(sessions.end(token)).rejects.toThrow();
    expect(sessions.loginOf(token)).toBeUndefined();
    await clock.advance(60_000);
    // Nothing is put back: a write that is under way may have taken the place already.
    await rm(file(), { recursive: true, force: true });
    const written = async () => {
      await clock.advance(5000);
      const text = await readFile(file(), "utf8").catch(() => undefined);
      return text === undefined ? undefined : JSON.parse(text).sessions;
    };
    await expect.poll(written, { timeout: 20_000 }).toEqual([]);
    expect((await open()).loginOf(token)).toBeUndefined();
    await sessions.settled();
  });

  test("who lost their role stays signed out: it is written down at the stop at the latest", async () => {
    const { sessions, token } = await begun();
    await refuse();
    await expect(sessions.keepOnly(() => false)).rejects.toThrow();
    await allow();
    expect((await open()).loginOf(token)).toBe("ada");
    await sessions.settled();
    expect((await open()).loginOf(token)).toBeUndefined();
  });
});

test("an account that took over a login is told from the one that the grant was meant for, until the grant is made anew", async () => {
  const sessions = await open();
  await sessions.begin({ login: "ada", id: 1 });
  expect([sessions.isTakenOver({ login: "Ada", id: 2 }), sessions.isTakenOver({ login: "ada", id: 1 })]).toEqual([
    true,
    false,
  ]);
  expect((await open()).isTakenOver({ login: "ada", id: 2 })).toBe(true);
  await sessions.keepOnly(() => false);
  expect((await open()).isTakenOver({ login: "ada", id: 2 })).toBe(false);
});

test("one login has twenty sessions at most: the oldest ends", async () => {
  const sessions = await open();
  const tokens: string[] = [];
  for (let nth = 0; nth < 25; nth += 1) tokens.push(await sessions.begin({ login: "ada", id: 1 }));
  const other = await sessions.begin({ login: "rob", id: 2 });
  expect(tokens.map((token) => sessions.loginOf(token) !== undefined)).toEqual([
    ...Array(5).fill(false),
    ...Array(20).fill(true),
  ]);
  expect(sessions.loginOf(other)).toBe("rob");
});

test.each(["", "{", "[]", '{"sessions":"x"}', "\u0000"])("a file with %j in it counts as no sessions", async (text) => {
  await writeFile(join(folder, "dashboard-sessions.json"), text);
  const sessions = await open();
  expect(sessions.loginOf(await sessions.begin({ login: "ada" }))).toBe("ada");
});
