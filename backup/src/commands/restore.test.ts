import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseKey, writeArchive } from "@nest/archive";
import { afterEach, beforeEach, expect, test } from "vitest";
import { HubUnderTest, KEY } from "../testing/a-hub.ts";

let hub: HubUnderTest;
beforeEach(() => {
  hub = new HubUnderTest();
});
afterEach(() => hub[Symbol.dispose]());

const archive = () => hub.path("archive.enc");
const rowsOf = (file: string) => {
  const sqlite = new DatabaseSync(file, { readOnly: true });
  const statement = sqlite.prepare("select * from things order by id");
  statement.setReadBigInts(true);
  const rows = statement.all();
  sqlite.close();
  return rows;
};

async function madeWithDatabase(): Promise<unknown[]> {
  const sqlite = hub.database();
  const insert = sqlite.prepare("insert into things values (?, ?, ?, ?, ?)");
  insert.run("a", 9_007_199_254_740_993n, new Uint8Array([0, 255]), 0.5, "ü");
  insert.run("b", null, null, null, null);
  sqlite.exec("insert into audit (what) values ('one')");
  sqlite.close();
  expect(await hub.run("run", "-local", archive())).toBe(0);
  return rowsOf(join(hub.dataDir, "hub.sqlite"));
}

test("a hub is restored into an empty directory, files and database", async () => {
  const rows = await madeWithDatabase();
  const dest = hub.path("restored");
  expect(await hub.run("restore", "-file", archive(), "-dest", dest)).toBe(0);
  expect(hub.out).toContain("restored a hub: 4 files and a database of 3 tables, 4 rows");
  const files = [".restored-from.json", "clusters.json", "hub-registry.json", "hub.sqlite", "saas"];
  expect(readdirSync(dest).sort()).toEqual(files);
  const note = JSON.parse(readFileSync(join(dest, ".restored-from.json"), "utf8"));
  expect(note).toEqual({ archive: "archive.enc", made_at: expect.any(String), restored_at: expect.any(String) });
  expect(readFileSync(join(dest, "saas/hmac.key"), "utf8")).toBe("0123456789abcdef0123456789abcdef");
  expect(rowsOf(join(dest, "hub.sqlite"))).toEqual(rows);
  expect(statSync(join(dest, "hub.sqlite")).mode & 0o777).toBe(0o600);
  expect(statSync(join(dest, "saas")).mode & 0o777).toBe(0o700);
});

test("a dry run reads everything and writes nothing", async () => {
  await madeWithDatabase();
  const dest = hub.path("not/there/yet");
  const before = readdirSync(hub.folder);
  expect(await hub.run("restore", "-file", archive(), "-dest", dest, "-dry-run", "-json")).toBe(0);
  expect(JSON.parse(hub.out)).toMatchObject({ kind: "hub", dry_run: true, files: 4, tables: 3 });
  expect(readdirSync(hub.folder)).toEqual(before);
  expect(await hub.run("restore", "-file", archive(), "-dest", dest)).toBe(0);
  expect(existsSync(join(dest, "hub.sqlite"))).toBe(true);
});

test("a directory that is not empty is refused without -force", async () => {
  await madeWithDatabase();
  expect(await hub.run("restore", "-file", archive(), "-dest", hub.dataDir)).toBe(1);
  expect(hub.err).toContain("is not empty");
  expect(await hub.run("restore", "-file", archive(), "-dest", hub.dataDir, "-force")).toBe(0);
});

test("a hub that is running is not restored over", async () => {
  await madeWithDatabase();
  const lock = new DatabaseSync(join(hub.dataDir, ".hub.lock"));
  lock.exec("pragma locking_mode = exclusive; begin exclusive");
  expect(await hub.run("restore", "-file", archive(), "-dest", hub.dataDir, "-force")).toBe(1);
  expect(hub.err).toContain("a hub is running");
  lock.close();
});

test("another hub's directory is not overwritten by mistake", async () => {
  hub.write("saas/hub-id", "one\n");
  await madeWithDatabase();
  const dest = hub.path("other");
  mkdirSync(join(dest, "saas"), { recursive: true });
  writeFileSync(join(dest, "saas/hub-id"), "two\n");
  expect(await hub.run("restore", "-file", archive(), "-dest", dest)).toBe(1);
  expect(readFileSync(join(dest, "saas/hub-id"), "utf8")).toBe("two\n");
});

test("one spoke of a hub's archive is restored into its data directory, identity guarded", async () => {
  hub.addSpoke("one", {
    "nest.yaml.dashboard": "a: 1\n",
    "nest.yaml.runtime": "a: 2\n",
    "nest-id": "one\n",
    "app-key.pem": "PEM",
  });
  expect(await hub.run("run", "-local", archive())).toBe(0);
  const dest = hub.path("spoke");
  mkdirSync(join(dest, "beads"), { recursive: true });
  expect(await hub.run("restore", "-file", archive(), "-dest", dest, "-spoke", "one")).toBe(0);
  expect(readdirSync(dest).sort()).toEqual([
    "app-key.pem",
    "beads",
    "nest-id",
    "nest.yaml.dashboard",
    "nest.yaml.runtime",
  ]);
  expect(statSync(join(dest, "app-key.pem")).mode & 0o777).toBe(0o600);
  writeFileSync(join(dest, "nest-id"), "another\n");
  expect(await hub.run("restore", "-file", archive(), "-dest", dest, "-spoke", "one")).toBe(1);
  expect(hub.err).toContain('belongs to "another", the archive to "one"');
  expect(await hub.run("restore", "-file", archive(), "-dest", dest, "-spoke", "one", "-force")).toBe(0);
  expect(await hub.run("restore", "-file", archive(), "-dest", dest, "-spoke", "two")).toBe(1);
});

test("a damaged archive restores nothing", async () => {
  await madeWithDatabase();
  const bytes = readFileSync(archive());
  writeFileSync(archive(), bytes.subarray(0, bytes.length - 1));
  expect(await hub.run("restore", "-file", archive(), "-dest", hub.path("restored"))).toBe(5);
  expect(existsSync(hub.path("restored"))).toBe(false);
});

/** An archive as a spoke's owner downloads it. */
async function spokeArchive(files: Readonly<Record<string, string>>): Promise<void> {
  async function* members() {
    for (const [path, text] of Object.entries(files)) {
      yield { path, mode: 0o644, mtime: 0, size: Buffer.byteLength(text), content: [Buffer.from(text)] };
    }
  }
  const sealed = writeArchive({
    key: parseKey(KEY, "test"),
    salt: randomBytes(32),
    members: members(),
    manifest: (rows) => ({
      format_version: 1,
      kind: "spoke",
      created_at: "2026-11-21T03:17:00.000Z",
      files: [...rows],
      spoke_ids: ["one"],
      skipped: { "beads/scanner/link": "a symbolic link" },
    }),
  });
  const pieces: Buffer[] = [];
  for await (const piece of sealed) pieces.push(piece);
  writeFileSync(archive(), Buffer.concat(pieces));
}

const SPOKE = {
  "spoke/nest.yaml.dashboard": "a: 1\n",
  "spoke/nest.yaml.runtime": "a: 2\n",
  "spoke/nest-id": "one\n",
  "spoke/nest-state.json": "{}",
  "spoke/app-key.pem": "PEM",
  "beads/scanner/beads.json": "[1]",
};

test("a spoke's own archive fills its data directory, root files 0600, its beads between those that are there", async () => {
  await spokeArchive(SPOKE);
  const dest = hub.path("spoke");
  mkdirSync(join(dest, "beads/scanner"), { recursive: true });
  writeFileSync(join(dest, "beads/scanner/newer.json"), "[]");
  expect(await hub.run("restore", "-file", archive(), "-dest", dest)).toBe(0);
  expect(hub.out).toContain(`restored a spoke: 6 files to ${dest}`);
  expect(hub.out).toContain("file beads/scanner/link: a symbolic link");
  for (const [path, text] of Object.entries(SPOKE)) {
    const file = join(dest, path.replace("spoke/", ""));
    expect([readFileSync(file, "utf8"), (statSync(file).mode & 0o077) === 0 || path.startsWith("beads/")]).toEqual([
      text,
      true,
    ]);
  }
  expect(readdirSync(join(dest, "beads/scanner")).sort()).toEqual(["beads.json", "newer.json"]);
});

test("another spoke's directory is not overwritten by mistake, nor by an archive that names nobody", async () => {
  const dest = hub.path("spoke");
  mkdirSync(dest);
  writeFileSync(join(dest, "nest-id"), "another\n");
  const { "spoke/nest-id": _, ...nameless } = SPOKE;
  for (const [files, whose] of [
    [SPOKE, "one"],
    [nameless, "nobody"],
  ] as const) {
    await spokeArchive(files);
    expect(await hub.run("restore", "-file", archive(), "-dest", dest)).toBe(1);
    expect(hub.err).toContain(`belongs to "another", the archive to "${whose}"`);
    expect(readdirSync(dest)).toEqual(["nest-id"]);
  }
  expect(await hub.run("restore", "-file", archive(), "-dest", dest, "-force")).toBe(0);
});

test("a dry run of a spoke's archive writes nothing", async () => {
  await spokeArchive(SPOKE);
  expect(await hub.run("restore", "-file", archive(), "-dest", hub.path("spoke"), "-dry-run")).toBe(0);
  expect(hub.out).toContain("would restore a spoke: 6 files into");
  expect(existsSync(hub.path("spoke"))).toBe(false);
});

test("what a restored hub still lacks is said: Secrets to apply, spokes to restore, and those that were not captured", async () => {
  hub.addSpoke("one", { "nest.yaml.runtime": "a: 1\n" });
  hub.addSpoke("bare", { "nest-id": "bare" });
  expect(await hub.run("run", "-local", archive())).toBe(3);
  expect(await hub.run("restore", "-file", archive(), "-dest", hub.path("restored"))).toBe(0);
  expect(hub.out).toContain("WARNING: 1 spokes and 0 files were NOT captured:\n  spoke bare: ");
  expect(hub.out).toContain("not restored here: Secrets nest-hub-secrets, objstore-api-key");
  expect(hub.out).toContain("not restored here: 1 spokes (nest-backup restore -spoke ID for each)");
});

test("a full disk is told and nothing is restored", async () => {
  await madeWithDatabase();
  const small = hub.path("small");
  try {
    execFileSync("/bin/sh", ["-c", 'mkdir "$1" && mount -t tmpfs -o size=32k tmpfs "$1"', "sh", small], {
      stdio: "ignore",
    });
  } catch {
    console.error("skipped: a full disk (mounting a small file system needs more rights)");
    return;
  }
  try {
    expect(await hub.run("restore", "-file", archive(), "-dest", join(small, "data"))).toBe(1);
    expect(hub.err).not.toContain("internal error");
    expect(readdirSync(small)).toEqual([]);
  } finally {
    execFileSync("/bin/sh", ["-c", 'umount "$1"', "sh", small]);
  }
});
