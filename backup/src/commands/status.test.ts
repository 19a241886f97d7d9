import { afterEach, beforeEach, expect, test } from "vitest";
import { HubUnderTest } from "../testing/a-hub.ts";
import { MemoryBlobs } from "../testing/memory-blobs.ts";

let hub: HubUnderTest;
const YEAR_MS = 365 * 24 * 3_600_000;
const signal = new AbortController().signal;

async function* only(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

beforeEach(() => {
  hub = new HubUnderTest();
});
afterEach(() => hub[Symbol.dispose]());

test("status is 0 within 26 hours of a verified archive, 1 after that and without any", async () => {
  expect(await hub.run("status")).toBe(1);
  await hub.run("run");
  await hub.clock.advance(26 * 3_600_000);
  expect(await hub.run("status")).toBe(0);
  await hub.clock.advance(1);
  expect(await hub.run("status", "-json")).toBe(1);
  expect(JSON.parse(hub.out)).toMatchObject({ ok: false, age_hours: 26, archives: 1 });
  expect(await hub.run("status", "-max-age-hours", "48")).toBe(0);
});

test("status, list and prune -dry-run need no key", async () => {
  await hub.run("run");
  hub.environment = { ...hub.environment, NEST_BACKUP_KEY: undefined };
  expect(await hub.run("status")).toBe(0);
  expect(await hub.run("list")).toBe(0);
  expect(hub.out.split(" ")[0]).toBe("nest-hub-backup-nest-hub-20261121T031700Z.tar.gz.enc");
  expect(await hub.run("prune", "-dry-run")).toBe(0);
});

test("an archive that nobody read back does not count, until status -verify reads it", async () => {
  await hub.run("run");
  const [name] = hub.out.match(/nest-hub-backup\S+/) ?? [""];
  const signal = new AbortController().signal;
  const pieces: Buffer[] = [];
  for await (const piece of hub.blobs.get(name, signal)) pieces.push(Buffer.from(piece));
  for (const each of [name, `.verified.${name}`]) await hub.blobs.remove(each, signal);
  const content = (async function* () {
    yield* pieces;
  })();
  await hub.blobs.put(name, content, { metadata: {}, signal });
  expect(await hub.run("status")).toBe(1);
  expect(await hub.run("status", "-verify")).toBe(0);
  expect(await hub.run("status")).toBe(0);
});

test("an archive that was stamped by a clock far ahead hides no newer one", async () => {
  await hub.clock.advance(YEAR_MS);
  const blobs = hub.blobs;
  // The storage's clock differs from the hub's.
  hub.blobs = new MemoryBlobs(() => hub.clock.now() - YEAR_MS);
  await hub.run("run");
  await hub.clock.advance(-YEAR_MS);
  const ahead = hub.blobs;
  for await (const { name } of ahead.list("", signal)) {
    const pieces: Buffer[] = [];
    for await (const piece of ahead.get(name, signal)) pieces.push(Buffer.from(piece));
    await blobs.put(name, only(Buffer.concat(pieces)), { metadata: {}, signal });
  }
  hub.blobs = blobs;
  for (let day = 0; day < 2; day += 1) {
    await hub.clock.advance(24 * 3_600_000);
    await hub.run("run");
  }
  expect(await hub.run("status", "-json")).toBe(0);
  expect(JSON.parse(hub.out)).toMatchObject({ archive: expect.stringContaining("20261123T"), age_hours: 0 });
});

test("an empty bucket lists nothing: exit 0", async () => {
  expect(await hub.run("list")).toBe(0);
  expect(hub.out).toBe("");
});

test("prune verifies the newest first; when it is bad nothing is deleted: exit 5", async () => {
  hub.environment = { ...hub.environment, NEST_BACKUP_RETENTION: "1" };
  await hub.run("run", "-no-prune");
  await hub.clock.advance(3_600_000);
  const signal = new AbortController().signal;
  const content = (async function* () {
    yield Buffer.alloc(500, 1);
  })();
  await hub.blobs.put("nest-hub-backup-nest-hub-20261121T041700Z.tar.gz.enc", content, { metadata: {}, signal });
  expect(await hub.run("prune")).toBe(5);
  await hub.run("list");
  expect(hub.out.trim().split("\n")).toHaveLength(2);
});

test("keygen prints 64 hexadecimal characters, another time others", async () => {
  await hub.run("keygen");
  const first = hub.out;
  expect(first).toMatch(/^[0-9a-f]{64}\n$/);
  await hub.clock.advance(1);
  await hub.run("keygen");
  expect(hub.out).not.toBe(first);
});
