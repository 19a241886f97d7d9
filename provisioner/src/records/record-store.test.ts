import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog, VirtualClock, writeFileAtomic } from "@nest/kit";
import { HostedNestRecord } from "@nest/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RecordStore } from "./record-store.ts";

let folder: string;
let store: RecordStore;
const warned: string[] = [];
const ID = "hosted-acme-widgets-ab12";
const file = () => join(folder, "saas", "nests", ID, "meta.json");

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-records-"));
  warned.length = 0;
  const log = Object.assign(silentLog(), { warn: (fields: object) => warned.push(JSON.stringify(fields)) });
  store = new RecordStore({ dataFolder: folder, clock: new VirtualClock(), log: log as never });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const aRecord = () => HostedNestRecord.parse({ id: ID, owner: "octo", status: "running" });

test("a record is a file of mode 0600 in a folder of mode 0700", async () => {
  await store.create(aRecord());
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  expect((await stat(join(file(), ".."))).mode & 0o777).toBe(0o700);
});

test("a file that is edited by hand counts at the next look, and its unknown keys stay", async () => {
  await store.create(aRecord());
  await store.list();
  const { status: _, ...edited } = JSON.parse(await readFile(file(), "utf8"));
  await writeFile(file(), JSON.stringify({ ...edited, status: "available", note_of_ours: 7, error: null }));
  expect((await store.get(ID)).status).toBe("available");
  expect((await store.list())[0]?.status).toBe("available");
  const changed = await store.change(ID, (record) => ({ ...record, owner: "hexa" }));
  expect(changed).toMatchObject({ owner: "hexa", status: "available", note_of_ours: 7 });
});

test("a record written by hand may have nothing but its owner", async () => {
  await mkdir(join(file(), ".."), { recursive: true });
  await writeFile(file(), '{"owner":"octo"}');
  expect(await store.get(ID)).toMatchObject({ id: ID, owner: "octo", status: "", is_public: true });
});

test("malformed and vanished records are told by name once, and the others are listed", async () => {
  await store.create(aRecord());
  for (const [name, text] of [
    ["hosted-broken-1", "{"],
    ["hosted-broken-2", '{"repos":"a,b"}'],
    ["hosted-broken-3", '{"id":"hosted-other"}'],
  ] as const) {
    await mkdir(join(folder, "saas", "nests", name), { recursive: true });
    await writeFile(join(folder, "saas", "nests", name, "meta.json"), text);
  }
  await mkdir(join(folder, "saas", "nests", "hosted-empty"), { recursive: true });
  for (let nth = 0; nth < 2; nth += 1) expect((await store.list()).map(({ id }) => id)).toEqual([ID]);
  expect(warned).toHaveLength(3);
  expect(warned.join()).toContain("hosted-broken-2");
  await expect(store.get("hosted-broken-1")).rejects.toMatchObject({ code: "nest_record_malformed" });
  await expect(store.get("hosted-empty")).rejects.toThrow("nest not found");
});

test("changes of one record are one after the other, and each counts its revision", async () => {
  await store.create(aRecord());
  await Promise.all(
    Array.from({ length: 20 }, () =>
      store.change(ID, (record) => ({ ...record, project_name: `${record.project_name}x` })),
    ),
  );
  expect(await store.get(ID)).toMatchObject({ project_name: "x".repeat(20), revision: 21 });
});

test("a hub that hung in a change, and whose record another took over, begins again with what that one wrote", async () => {
  await store.create(aRecord());
  const clock = new VirtualClock();
  const hung = Promise.withResolvers<void>();
  let writes = 0;
  const slow = new RecordStore({
    dataFolder: folder,
    clock,
    log: silentLog(),
    write: async (path, text, options) => {
      writes += 1;
      if (writes === 1) await hung.promise;
      await writeFileAtomic(path, text, options);
    },
  });
  const named = (letter: string) => (record: HostedNestRecord) => ({
    ...record,
    project_name: `${record.project_name}${letter}`,
  });
  const first = slow.change(ID, named("a"));
  await expect.poll(() => writes).toBe(1);
  const other = new RecordStore({ dataFolder: folder, clock, log: silentLog() });
  let isDone = false;
  const second = other.change(ID, named("b")).then(() => (isDone = true));
  const later = async () => {
    await clock.advance(1000);
    return isDone;
  };
  await expect.poll(later).toBe(true);
  await second;
  hung.resolve();
  await first;
  expect(await store.get(ID)).toMatchObject({ project_name: "ba", revision: 3 });
});

test("whoever read an older revision is refused", async () => {
  const { revision } = await store.create(aRecord());
  await store.change(ID, (record) => ({ ...record, owner: "hexa" }));
  await expect(store.change(ID, (record) => record, revision)).rejects.toMatchObject({ code: "nest_changed" });
});

test("there is no second nest of an id, not even after it was deleted", async () => {
  await store.create(aRecord());
  await expect(store.create(aRecord())).rejects.toMatchObject({ code: "nest_exists" });
  await store.bury(ID, "octo");
  expect(await store.tombstone(ID)).toMatchObject({ owner: "octo", deleted_by: "octo" });
  await expect(store.create(aRecord())).rejects.toMatchObject({ code: "nest_exists" });
});

test("changes are told, and a deletion as undefined", async () => {
  const told: (string | undefined)[] = [];
  const end = store.onChange((_, record) => told.push(record?.owner));
  await store.create(aRecord());
  await store.change(ID, (record) => ({ ...record, owner: "hexa" }));
  await store.bury(ID, "octo");
  end();
  expect(told).toEqual(["octo", "hexa", undefined]);
});

test.each(["../../etc", "..", "a/b", "A", "", "a".repeat(52), "%2e%2e", "x\u0000"])(
  "%j leads to no file",
  async (id) => {
    expect(await store.read(id)).toBeUndefined();
    expect(await store.tombstone(id)).toBeUndefined();
    await expect(store.change(id, (record) => record)).rejects.toThrow("nest not found");
    await expect(store.bury(id, "octo")).rejects.toThrow("nest not found");
    expect(await readdir(folder)).toEqual([]);
  },
);

test("a record that cannot be read is malformed and not absent", async () => {
  await mkdir(join(file(), ".."), { recursive: true });
  await symlink("meta.json", file());
  await chmod(folder, 0o700);
  await expect(store.get(ID)).rejects.toMatchObject({ code: "nest_record_malformed" });
});
