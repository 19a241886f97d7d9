import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseKey, writeArchive } from "@nest/archive";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HubUnderTest, KEY } from "../testing/a-hub.ts";

/** What the ancestor of this product left behind: archives under its names, spokes with its files. */

const { signal } = new AbortController();
let hub: HubUnderTest;
beforeEach(() => {
  hub = new HubUnderTest();
});
afterEach(() => hub[Symbol.dispose]());

type Files = Readonly<Record<string, string>>;

async function sealed(files: Files, createdAt = "2026-06-12T03:17:00.000Z"): Promise<Buffer> {
  async function* members() {
    for (const [path, text] of Object.entries(files))
      yield { path, mode: 0o644, mtime: 0, size: Buffer.byteLength(text), content: [Buffer.from(text)] };
  }
  const pieces: Buffer[] = [];
  const manifest = (rows: readonly { path: string; size: number; sha256: string }[]) => ({
    ...{ format_version: 1 as const, created_at: createdAt, files: [...rows], spoke_ids: ["hive-1"] },
  });
  for await (const piece of writeArchive({
    key: parseKey(KEY, "test"),
    salt: randomBytes(32),
    members: members(),
    manifest,
  }))
    pieces.push(piece);
  return Buffer.concat(pieces);
}

async function stored(name: string, files: Files, createdAt?: string): Promise<void> {
  const bytes = await sealed(files, createdAt);
  async function* content() {
    yield bytes;
  }
  await hub.blobs.put(name, content(), { metadata: {}, signal });
}

const HUB_FILES = { "hub/hub-registry.json": "{}", "hub/saas/users/ada.json": "{}" };
const OF_HUB = "hive-hub-backup-20260612T031700Z.tar.gz.enc";
const OF_SPOKE = "hive-spoke-backup-hive-1-20260612T031800Z.tar.gz.enc";
const SPOKE = {
  "spoke/hive-id": "hive-1\n",
  "spoke/hive.yaml": "a: 0\n",
  "spoke/hive.yaml.dashboard": "a: 1\n",
  "spoke/hive.yaml.runtime": "a: 2\n",
  "spoke/gh-app-key.pem": "PEM",
  "spoke/gh-app-key-docs.pem": "PEM 2",
  "beads/scanner/hive-id": "a bead's own file",
};

describe("archives of the ancestor in the storage", () => {
  test("are listed with ours, newest first, and told apart", async () => {
    await stored(OF_HUB, HUB_FILES);
    await stored(OF_SPOKE, SPOKE);
    await stored("hive-hub-backup-yesterday.tar.gz.enc", HUB_FILES);
    expect(await hub.run("run")).toBe(0);
    expect(await hub.run("list")).toBe(0);
    const lines = hub.out.trim().split("\n").slice(-3);
    expect(lines.map((line) => line.split(" ")[0])).toEqual([
      "nest-hub-backup-nest-hub-20261121T031700Z.tar.gz.enc",
      OF_SPOKE,
      OF_HUB,
    ]);
    expect(lines[2]).toContain("of the ancestor, never pruned");
  });

  test("are verified by name, and without a name where this hub has none of its own", async () => {
    await stored(OF_HUB, HUB_FILES);
    await stored(OF_SPOKE, SPOKE);
    expect(await hub.run("verify")).toBe(0);
    expect(hub.out).toContain("2 files");
    expect(await hub.run("verify", "-name", OF_SPOKE, "-json")).toBe(0);
    expect(hub.out).not.toContain("WARNING");
    expect(await hub.run("run")).toBe(0);
    expect(await hub.run("verify", "-json")).toBe(0);
    expect(hub.out.trim().split("\n").at(-1)).toContain('"archive":"nest-hub-backup-');
  });

  test("of another time or kind than their name are good, and said to be misnamed", async () => {
    await stored("hive-hub-backup-20261120T031700Z.tar.gz.enc", HUB_FILES);
    await stored("hive-spoke-backup-hive-1-20260612T031700Z.tar.gz.enc", HUB_FILES);
    expect(await hub.run("verify")).toBe(0);
    expect(hub.out).toContain("WARNING: hive-hub-backup-20261120T031700Z.tar.gz.enc is a good archive made 2026-06-12");
    expect(await hub.run("verify", "-name", "hive-spoke-backup-hive-1-20260612T031700Z.tar.gz.enc")).toBe(0);
    expect(hub.out).toContain("WARNING: hive-spoke-backup-hive-1");
  });

  test("count for no alarm and are never pruned", async () => {
    await stored(OF_HUB, HUB_FILES);
    await stored("hive-hub-backup-20261121T031600Z.tar.gz.enc", HUB_FILES, "2026-11-21T03:16:00.000Z");
    expect(await hub.run("status")).toBe(1);
    hub.environment = { ...hub.environment, NEST_BACKUP_RETENTION: "1" };
    expect(await hub.run("run")).toBe(0);
    await hub.clock.advance(60_000);
    expect(await hub.run("run")).toBe(0);
    expect(await hub.run("prune")).toBe(0);
    expect(await hub.blobs.facts(OF_HUB, signal)).toMatchObject({ name: OF_HUB });
  });
});

describe("a spoke of the ancestor", () => {
  const restoring = async (files: Files, dest: string, ...more: string[]) => {
    writeFileSync(hub.path("archive.enc"), await sealed(files));
    return hub.run("restore", "-file", hub.path("archive.enc"), "-dest", dest, ...more);
  };

  test("is restored under the names that this product reads, root files 0600; files of its ledger keep theirs", async () => {
    const dest = hub.path("spoke");
    expect(await restoring(SPOKE, dest)).toBe(0);
    expect(readdirSync(dest).sort()).toEqual([
      "app-key-docs.pem",
      "app-key.pem",
      "beads",
      "nest-id",
      "nest.yaml",
      "nest.yaml.dashboard",
      "nest.yaml.runtime",
    ]);
    expect(readFileSync(join(dest, "nest-id"), "utf8")).toBe("hive-1\n");
    expect(readFileSync(join(dest, "nest.yaml.runtime"), "utf8")).toBe("a: 2\n");
    expect(statSync(join(dest, "app-key.pem")).mode & 0o777).toBe(0o600);
    expect(existsSync(join(dest, "beads/scanner/hive-id"))).toBe(true);
  });

  test("is restored from its hub's archive too", async () => {
    const dest = hub.path("spoke");
    const files = { ...HUB_FILES, "spokes/hive-1/hive-id": "hive-1", "spokes/hive-1/hive.yaml.runtime": "a: 2\n" };
    expect(await restoring(files, dest, "-spoke", "hive-1")).toBe(0);
    expect(readdirSync(dest).sort()).toEqual(["nest-id", "nest.yaml.runtime"]);
  });

  test.each(["nest-id", "hive-id"])("is not restored over another spoke that says so in %s", async (name) => {
    const dest = hub.path("spoke");
    mkdirSync(dest);
    writeFileSync(join(dest, name), "another\n");
    expect(await restoring(SPOKE, dest)).toBe(1);
    expect(hub.err).toContain('belongs to "another", the archive to "hive-1"');
    expect(readdirSync(dest)).toEqual([name]);
    expect(await restoring(SPOKE, dest, "-force")).toBe(0);
  });

  test("is not overwritten by a spoke of ours, nor by an archive that names nobody", async () => {
    const dest = hub.path("spoke");
    mkdirSync(dest);
    writeFileSync(join(dest, "hive-id"), "hive-1\n");
    expect(await restoring({ "spoke/nest-id": "one", "spoke/nest.yaml.runtime": "" }, dest)).toBe(1);
    expect(await restoring({ "spoke/nest.yaml.runtime": "" }, dest)).toBe(1);
    expect(hub.err).toContain('belongs to "hive-1", the archive to "nobody"');
    expect(await restoring(SPOKE, dest)).toBe(0);
  });

  test("whose archive holds files of both names gets ours where we read them, and keeps the others as they are", async () => {
    const dest = hub.path("spoke");
    expect(await restoring({ ...SPOKE, "spoke/nest-id": "one\n" }, dest)).toBe(0);
    expect(readFileSync(join(dest, "nest-id"), "utf8")).toBe("one\n");
    expect(readFileSync(join(dest, "hive-id"), "utf8")).toBe("hive-1\n");
  });
});
