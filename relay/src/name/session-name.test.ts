import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { seededRandom, systemRandom, VirtualClock } from "@nest/kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isNameHeld } from "./name-lock.ts";
import { readKeptName, SESSION_PATTERN, sessionLocks, takeSessionName } from "./session-name.ts";

let folder: string;
const clock = new VirtualClock();
const take = (configured?: string) => takeSessionName(folder, configured, { clock, random: systemRandom() });

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "nest-session-")), "state");
});
afterEach(async () => {
  await chmod(folder, 0o700).catch(() => undefined);
  await rm(join(folder, ".."), { recursive: true, force: true });
});

describe("the session name", () => {
  test("is made once in the state folder, 0600, and stays", async () => {
    const first = await take();
    first.release();
    const again = await take();
    expect(again.name).toBe(first.name);
    expect(first.name).toMatch(SESSION_PATTERN);
    expect((await stat(join(folder, "session"))).mode & 0o777).toBe(0o600);
    again.release();
  });

  test("cannot be taken where nothing can be written, and it is said what to do", async () => {
    await writeFile(folder, "a file in the folder's place");
    await expect(take()).rejects.toMatchObject({
      code: "state_folder_unusable",
      message: expect.stringContaining(`nothing can be written to ${folder}`),
      hint: expect.stringContaining("XDG_STATE_HOME"),
    });
  });

  test("of a relay that runs beside another has a number behind it, and is free again with its end", async () => {
    const [one, two] = [await take(), await take()];
    expect([two.name, two.place]).toEqual([`${one.name}-2`, 2]);
    one.release();
    const three = await take();
    expect(three.name).toBe(one.name);
    for (const held of [two, three]) held.release();
  });

  test("that was configured has a number behind it too, within 64 characters", async () => {
    const long = "x".repeat(64);
    const [one, two] = [await take(long), await take(long)];
    expect([one.name, two.name]).toEqual([long, `${"x".repeat(62)}-2`]);
    for (const held of [one, two]) held.release();
  });

  test("of one that has another name than the one beside it is its own, and its place another", async () => {
    const [one, two] = [await take("laptop"), await take("desk")];
    expect([one, two].map(({ name, place }) => [name, place])).toEqual([
      ["laptop", 1],
      ["desk", 2],
    ]);
    for (const held of [one, two]) held.release();
  });

  test("is one each when many start at once for the first time", async () => {
    const taken = await Promise.all(Array.from({ length: 4 }, () => take()));
    expect(new Set(taken.map(({ name }) => name)).size).toBe(4);
    const bases = new Set(taken.map(({ name }) => /^relay-[0-9a-f]{8}/.exec(name)?.[0]));
    expect([...bases]).toEqual([await readKeptName(folder)]);
    for (const held of taken) held.release();
    expect(await readdir(sessionLocks(folder))).toEqual([]);
  });

  test("is made anew where the file holds no name", async () => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "session"), "../../not a name\n");
    const taken = await takeSessionName(folder, undefined, { clock, random: seededRandom(1) });
    expect(taken.name).toMatch(/^relay-[0-9a-f]{8}$/);
    expect(await readKeptName(folder)).toBe(taken.name);
    taken.release();
  });
});

describe("a name left behind", () => {
  let child: ChildProcess | undefined;
  afterEach(() => child?.kill("SIGKILL"));

  async function leave(content: object): Promise<void> {
    await mkdir(sessionLocks(folder), { recursive: true });
    await writeFile(join(sessionLocks(folder), "laptop"), JSON.stringify(content));
  }

  async function holderOf(name: string): Promise<{ pid: number; started: string; space: string }> {
    return JSON.parse(await readFile(join(sessionLocks(folder), name), "utf8"));
  }

  test("by a relay that was killed is taken over at once", async () => {
    const probe = await take("probe");
    const { space } = await holderOf("probe");
    child = spawn("true");
    await once(child, "exit");
    await leave({ pid: child.pid, started: "1", space });
    const taken = await take("laptop");
    expect(taken.name).toBe("laptop");
    for (const held of [taken, probe]) held.release();
  });

  test("by a relay that was killed, and whose end nobody has looked at yet, is taken over at once", async () => {
    const probe = await take("probe");
    const { space } = await holderOf("probe");
    // The shell starts a process that ends, and becomes a program that never looks at it.
    child = spawn("/bin/sh", ["-c", "sleep 0.5 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "inherit"] });
    const pid = Number(String((await once(child.stdout as Readable, "data"))[0]));
    const stat = () => readFile(`/proc/${pid}/stat`, "utf8");
    await expect.poll(stat).toMatch(/\) Z /);
    const started = (await stat()).split(") ").at(-1)?.split(" ")[19];
    await leave({ pid, started, space });
    const taken = await take("laptop");
    expect(taken.name).toBe("laptop");
    for (const held of [taken, probe]) held.release();
  });

  test("is not taken for held because another process has the same number now", async () => {
    const probe = await take("probe");
    const { space } = await holderOf("probe");
    await leave({ pid: process.pid, started: "1", space });
    expect(await isNameHeld(sessionLocks(folder), "laptop")).toBe(false);
    expect(await isNameHeld(sessionLocks(folder), "probe")).toBe(true);
    probe.release();
  });

  test("by another machine or container is held while it gives signs, and free after 30 s without", async () => {
    await leave({ pid: 1, started: "1", space: "another machine" });
    const beside = await take("laptop");
    expect(beside.name).toBe("laptop-2");
    const longAgo = new Date(Date.now() - 31_000);
    await utimes(join(sessionLocks(folder), "laptop"), longAgo, longAgo);
    const taken = await take("laptop");
    expect(taken.name).toBe("laptop");
    for (const held of [beside, taken]) held.release();
  });
});
