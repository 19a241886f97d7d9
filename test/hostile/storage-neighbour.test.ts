import { HubUnderTest } from "@nest/backup/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

// Somebody may write into the bucket. They know the hub's name, but not its key.
let hub: HubUnderTest;
const signal = new AbortController().signal;
const HOUR_MS = 3_600_000;
beforeEach(() => {
  hub = new HubUnderTest();
  hub.environment = { ...hub.environment, NEST_BACKUP_RETENTION: "3" };
});
afterEach(() => hub[Symbol.dispose]());

const archive = (stamp: string, id = "nest-hub") => `nest-hub-backup-${id}-${stamp}.tar.gz.enc`;

async function* only(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

function plant(name: string, content: Buffer | string, metadata: Record<string, string> = {}): Promise<void> {
  return hub.blobs.put(name, only(Buffer.from(content)), { metadata, signal });
}

async function bytesOf(name: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of hub.blobs.get(name, signal)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function stored(start = "nest-hub-backup-"): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of hub.blobs.list(start, signal)) names.push(name);
  return names.sort();
}

async function night(): Promise<{ code: number; made: string }> {
  const code = await hub.run("run", "-json");
  const made = code === 0 || code === 3 ? (JSON.parse(hub.out).dest as string) : "";
  await hub.clock.advance(24 * HOUR_MS);
  return { code, made };
}

/** Three good nights; the newest last. */
async function goodNights(): Promise<string[]> {
  const made: string[] = [];
  for (let count = 0; count < 3; count += 1) made.push((await night()).made);
  await hub.clock.advance(-HOUR_MS);
  return made;
}

describe("objects under the names of the ancestor", () => {
  const PLANTED = ["hive-hub-backup-20991231T235959Z.tar.gz.enc", "hive-hub-backup-20261123T040000Z.tar.gz.enc"];

  test("displace no archive of ours: they are neither verified in its place, nor counted, nor pruned", async () => {
    const good = await goodNights();
    for (const name of PLANTED) await plant(name, "not an archive");
    expect(await hub.run("verify", "-json")).toBe(0);
    expect(JSON.parse(hub.out).archive).toBe(good.at(-1));
    expect(await hub.run("status")).toBe(0);
    await hub.clock.advance(HOUR_MS);
    const { code, made } = await night();
    expect(code).toBe(0);
    expect(await stored()).toEqual([...good.slice(1), made].sort());
    expect(await stored("hive-")).toEqual([...PLANTED].sort());
  });

  test("say nothing that is believed where this hub has no archive yet", async () => {
    for (const name of PLANTED) await plant(name, "not an archive");
    expect(await hub.run("verify")).toBe(5);
    expect(await hub.run("status")).toBe(1);
  });

  test("do not rise above ours by their name alone", async () => {
    await plant(PLANTED[0] as string, "not an archive");
    await hub.clock.advance(HOUR_MS);
    const { made } = await night();
    expect(await hub.run("list")).toBe(0);
    expect(hub.out.trim().split("\n")[0]).toMatch(new RegExp(`^${made} `));
  });
});

describe("objects under the hub's own names", () => {
  test("displace no good archive and fail no run; the run reports them", async () => {
    const good = await goodNights();
    const planted: string[] = [];
    for (let minute = 10; minute < 40; minute += 1) planted.push(archive(`20261123T04${minute}00Z`));
    for (const name of planted) await plant(name, "not an archive", { files: "9", spokes: "9" });
    await hub.clock.advance(HOUR_MS);
    expect(await hub.run("run", "-json")).toBe(0);
    const { dest, warnings } = JSON.parse(hub.out);
    expect(warnings).toContain(`${planted[0]} looks new and was never found good; it takes no other archive's place`);
    expect(await stored()).toEqual([...good.slice(1), ...planted, dest].sort());
  });

  test("are pruned once they are older than every archive that is kept", async () => {
    await goodNights();
    const planted = archive("20261123T040000Z");
    await plant(planted, "not an archive");
    await hub.clock.advance(HOUR_MS);
    for (let count = 0; count < 4; count += 1) expect((await night()).code).toBe(0);
    expect(await stored()).toHaveLength(3);
  });

  test("that claim to hold more than any archive of the hub do not stop the pruning", async () => {
    await goodNights();
    await plant(archive("20261123T040000Z"), "not an archive", { files: "1000000", spokes: "1000" });
    await hub.clock.advance(HOUR_MS);
    expect((await night()).code).toBe(0);
  });

  test("before the first run are not compared with, and only their beginning is read", async () => {
    const large = archive("20261121T020000Z");
    await plant(large, "a gigabyte", { files: "1000000" });
    const sound = hub.blobs;
    let mebibytes = 0;
    hub.blobs = new Proxy(sound, {
      get(target, name) {
        const part = Reflect.get(target, name);
        if (name !== "get") return typeof part === "function" ? part.bind(target) : part;
        return async function* (of: string) {
          if (of !== large) return yield* sound.get(of, signal);
          for (; mebibytes < 1024; mebibytes += 1) yield Buffer.alloc(1024 * 1024, 7);
        };
      },
    });
    expect((await night()).code).toBe(0);
    expect(mebibytes).toBeLessThan(4);
    for (const command of [["prune"], ["status", "-verify"]]) {
      for (const name of await stored()) if (name !== large) await sound.remove(name, signal);
      mebibytes = 0;
      expect([await hub.run(...command), mebibytes < 4]).toEqual([5, true]);
    }
  });

  test("that occupy the names of the next minutes stop no backup, and nothing is sealed twice because of them", async () => {
    const at = (second: number) => new Date(hub.clock.now() + second * 1000).toISOString().slice(0, 19);
    const nameOf = (second: number) => archive(`${at(second).replaceAll(/[-:]/g, "")}Z`);
    for (let second = 0; second < 300; second += 1) await plant(nameOf(second), "not an archive");
    const free = nameOf(300);
    const { code, made } = await night();
    expect([code, made]).toEqual([0, free]);
  });

  test("a good old archive copied to a newer name stays what it is: it counts as no new one", async () => {
    const [oldest = ""] = await goodNights();
    const copy = archive("20261123T161700Z");
    await hub.clock.advance(-10 * HOUR_MS);
    await plant(copy, await bytesOf(oldest));
    await hub.clock.advance(20 * HOUR_MS);
    expect(await hub.run("status", "-verify", "-max-age-hours", "12", "-json")).toBe(1);
    expect(JSON.parse(hub.out).archive).not.toBe(copy);
    expect(await hub.run("verify")).toBe(0);
    expect(hub.out).toContain(`WARNING: ${copy} is a good archive of nest-hub made 2026-11-21T03:17:00.000Z`);
    expect(await hub.run("list")).toBe(0);
    expect(hub.out.split("\n").find((line) => line.startsWith(copy))).toContain("not verified");
  });
});

describe("notes that an archive was found good", () => {
  const note = (name: string, more: object = {}) =>
    JSON.stringify({
      ...{ format: 1, archive: name, sha256: "0".repeat(64), bytes: 14, modified_at: hub.clock.now() },
      ...{ verified_at: hub.clock.now(), files: 8, spokes: 0, whole: true, much_less: false, mac: "00".repeat(32) },
      ...more,
    });

  test("cannot be forged: the archive stays unverified", async () => {
    const good = await goodNights();
    for (let hour = 10; hour < 20; hour += 1) {
      const name = archive(`20261123T${hour}0000Z`);
      await plant(name, "not an archive");
      await plant(`.verified.${name}`, note(name));
    }
    await hub.clock.advance(HOUR_MS);
    const { code, made } = await night();
    expect(code).toBe(0);
    expect(await stored()).toEqual(expect.arrayContaining([...good.slice(1), made]));
    expect(await hub.run("status", "-json", "-max-age-hours", "48")).toBe(0);
    expect(JSON.parse(hub.out).archive).toBe(made);
  });

  test("cannot be moved to another archive, nor outlive the archive that they are about", async () => {
    const newest = archive("20261121T031700Z");
    expect(await hub.run("run")).toBe(0);
    // In the same second, and of the same length.
    const name = archive("20261121T031701Z");
    await plant(name, Buffer.alloc((await bytesOf(newest)).length));
    await plant(`.verified.${name}`, await bytesOf(`.verified.${newest}`));
    await hub.blobs.remove(newest, signal);
    await plant(newest, "written over");
    expect(await hub.run("list")).toBe(0);
    const lines = hub.out.split("\n");
    for (const each of [name, newest]) expect(lines.find((line) => line.startsWith(each))).toContain("not verified");
  });

  test("are not made of an object that was exchanged while it was read", async () => {
    const { made } = await night();
    const sound = hub.blobs;
    const genuine = await bytesOf(made);
    await sound.remove(`.verified.${made}`, signal);
    hub.blobs = new Proxy(sound, {
      get(target, name) {
        const part = Reflect.get(target, name);
        if (name !== "get") return typeof part === "function" ? part.bind(target) : part;
        return async function* (of: string) {
          if (of !== made) return yield* sound.get(of, signal);
          yield genuine;
          await sound.remove(made, signal);
          await sound.put(made, only(Buffer.alloc(genuine.length)), { metadata: {}, signal });
        };
      },
    });
    expect(await hub.run("verify")).toBe(0);
    expect(await hub.run("list")).toBe(0);
    expect(hub.out).toContain("not verified");
  });

  test("are ignored when they are larger than any note of ours", async () => {
    const { made } = await night();
    const text = (await bytesOf(`.verified.${made}`)).toString();
    await hub.blobs.remove(`.verified.${made}`, signal);
    await plant(`.verified.${made}`, text + " ".repeat(10_000));
    await hub.run("list");
    expect(hub.out).toContain("not verified");
  });

  test.each(["", "null", "[]", "{", "x".repeat(20_000_000)])("that cannot be parsed are ignored", async (text) => {
    const { made } = await night();
    await hub.blobs.remove(`.verified.${made}`, signal);
    await plant(`.verified.${made}`, text);
    expect(await hub.run("list")).toBe(0);
    expect(hub.out).toContain("not verified");
    expect(await hub.run("verify")).toBe(0);
    expect(await hub.run("status", "-max-age-hours", "48")).toBe(0);
  });
});

describe("another hub in the same bucket", () => {
  const named = (id: string) => {
    hub.environment = { ...hub.environment, NEST_HUB_ID: id, NEST_BACKUP_RETENTION: "1" };
  };

  test.each([
    ["a", "a-b"],
    ["a-b", "a"],
    ["a", "a-20261121T031700Z"],
  ])("%s neither lists, verifies nor prunes what is %s's", async (own, others) => {
    named(others);
    const other = (await night()).made;
    named(own);
    expect(await hub.run("list")).toBe(0);
    expect(hub.out).toBe("");
    expect(await hub.run("verify")).toBe(1);
    await night();
    const { made } = await night();
    expect(await stored()).toEqual([made, other].sort());
    expect(await hub.run("prune")).toBe(0);
    expect(await stored(".verified.")).toEqual([`.verified.${made}`, `.verified.${other}`].sort());
  });
});
