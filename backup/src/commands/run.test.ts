import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Blobs, listed } from "../storage/blobs.ts";
import { HubUnderTest, KEY } from "../testing/a-hub.ts";

let hub: HubUnderTest;
beforeEach(() => {
  hub = new HubUnderTest();
});
afterEach(() => hub[Symbol.dispose]());

const archive = () => hub.path("archive.enc");
const signal = new AbortController().signal;
const names = async () => (await listed(hub.blobs, "nest-hub-backup-", signal)).map(({ name }) => name).sort();
async function extracted(): Promise<string> {
  const dest = hub.path(`out-${readdirSync(hub.folder).length}`);
  expect(await hub.run("extract", "-file", archive(), "-dest", dest)).toBe(0);
  return dest;
}
const manifestIn = (dest: string) => JSON.parse(readFileSync(join(dest, "MANIFEST.json"), "utf8"));

/** A storage with one fault. */
function withFault(sound: Blobs, fault: Partial<Blobs>): Blobs {
  const own = (name: PropertyKey) => (fault as Record<PropertyKey, unknown>)[name];
  return new Proxy(sound, {
    get(target, name) {
      const part = Reflect.get(target, name);
      return own(name) ?? (typeof part === "function" ? part.bind(target) : part);
    },
  });
}

describe("what is captured", () => {
  test("saas/** and the registry are, nous home beads logs are not", async () => {
    expect(await hub.run("run", "-local", archive())).toBe(0);
    const dest = await extracted();
    expect(readdirSync(join(dest, "hub")).sort()).toEqual(["clusters.json", "hub-registry.json", "saas"]);
    expect(readFileSync(join(dest, "hub/saas/users/ada.json"), "utf8")).toBe('{"login":"ada"}');
  });

  test("the Secrets are, each as JSON without what only the old cluster understands", async () => {
    await hub.run("run", "-local", archive());
    const dest = await extracted();
    const secret = JSON.parse(readFileSync(join(dest, "secrets/nest-hub-secrets.json"), "utf8"));
    expect(secret).toMatchObject({
      kind: "Secret",
      metadata: { name: "nest-hub-secrets" },
      data: { value: "c2VjcmV0" },
    });
    expect(Object.keys(secret.metadata)).toEqual(["name", "namespace"]);
    expect(statSync(join(dest, "secrets/nest-hub-secrets.json")).mode & 0o777).toBe(0o600);
  });

  test.each(["nest-hub-secrets", "objstore-api-key", "nest-hub-kubeconfigs"])(
    "a missing %s fails the backup",
    async (name) => {
      hub.cluster.removeSecret("nest-hub", name);
      expect(await hub.run("run", "-local", archive())).toBe(1);
      expect(hub.err).toContain(`the required Secret nest-hub/${name} does not exist`);
      expect(existsSync(archive())).toBe(false);
    },
  );

  test("the Secrets are those of NEST_HUB_NAMESPACE", async () => {
    hub.environment = { ...hub.environment, NEST_HUB_NAMESPACE: "team-hub" };
    expect(await hub.run("run", "-local", archive())).toBe(1);
    expect(hub.err).toContain("the required Secret team-hub/nest-hub-secrets does not exist");
  });

  test("a missing nest-hub-tls only warns", async () => {
    hub.cluster.removeSecret("nest-hub", "nest-hub-tls");
    expect(await hub.run("run", "-local", archive())).toBe(0);
    expect(hub.out).toContain("WARNING: Secret nest-hub-tls was not captured");
    expect(hub.out).toContain("secrets: 3");
  });

  test("a forbidden Secret is told from a missing one", async () => {
    hub.cluster.forbid("nest-hub/objstore-api-key");
    expect(await hub.run("run", "-local", archive())).toBe(1);
    expect(hub.err).toContain("our role may not read the Secret nest-hub/objstore-api-key");
  });

  test("the database is, as rows that any engine can read, while the hub goes on writing", async () => {
    const sqlite = hub.database();
    const insert = sqlite.prepare("insert into things values (?, ?, ?, ?, ?)");
    insert.run("a", 9_007_199_254_740_993n, new Uint8Array([1, 2, 255]), 0.5, "ü\n");
    insert.run("b", 7, null, null, null);
    expect(await hub.run("run", "-local", archive())).toBe(0);
    insert.run("c", 8, null, null, null);
    sqlite.close();
    const dest = await extracted();
    expect(readFileSync(join(dest, "hub/database/things.jsonl"), "utf8")).toBe(
      '{"id":"a","large":{"$integer":"9007199254740993"},"bytes":{"$base64":"AQL/"},"ratio":0.5,"note":"ü\\n"}\n' +
        '{"id":"b","large":7,"bytes":null,"ratio":null,"note":null}\n',
    );
    const schema = JSON.parse(readFileSync(join(dest, "hub/database/schema.json"), "utf8"));
    expect(schema).toMatchObject({ engine: "sqlite", migrations: 1 });
  });

  test("links, pipes and what extract would refuse are told as gaps: exit 3, or 0 with -gaps-ok", async () => {
    symlinkSync("/etc/passwd", join(hub.dataDir, "saas/link"));
    expect(await hub.run("run", "-local", archive())).toBe(3);
    expect(hub.out).toContain("file hub/saas/link: a symbolic link");
    expect(await hub.run("run", "-local", archive(), "-gaps-ok")).toBe(0);
    expect(manifestIn(await extracted()).skipped).toEqual({ "hub/saas/link": "a symbolic link" });
  });
});

describe("a hub that is none", () => {
  test.each(["missing", "empty", "a link"])("saas/ %s fails the run", async (what) => {
    rmSync(join(hub.dataDir, "saas"), { recursive: true });
    if (what === "empty") hub.write("saas/empty/.keep", "");
    if (what === "empty") rmSync(join(hub.dataDir, "saas/empty/.keep"));
    if (what === "a link") symlinkSync("/etc", join(hub.dataDir, "saas"));
    expect(await hub.run("run", "-local", archive())).toBe(1);
    expect(hub.err).toContain("saas");
    expect(existsSync(archive())).toBe(false);
  });

  test("without clusters.json the run fails, unless spokes are skipped", async () => {
    rmSync(join(hub.dataDir, "clusters.json"));
    expect(await hub.run("run", "-local", archive())).toBe(1);
    expect(hub.err).toContain("has no clusters.json");
    expect(await hub.run("run", "-local", archive(), "-skip-spokes=true")).toBe(0);
  });

  test("without a registry the run fails, also when spokes are skipped", async () => {
    rmSync(join(hub.dataDir, "hub-registry.json"));
    expect(await hub.run("run", "-local", archive(), "-skip-spokes")).toBe(1);
    expect(hub.err).toContain("hub-registry.json does not exist");
  });

  test("a database that is none fails the run", async () => {
    hub.write("hub.sqlite", Buffer.alloc(5000, 7));
    expect(await hub.run("run", "-local", archive())).toBe(1);
    expect(hub.err).toContain("cannot be read as a database");
  });
});

describe("configuration", () => {
  test.each([undefined, "", "   "])("without a key (%j) nothing is written: exit 2", async (key) => {
    hub.environment = { ...hub.environment, NEST_BACKUP_KEY: key };
    expect(await hub.run("run", "-local", archive())).toBe(2);
    expect(hub.err).toContain("NEST_BACKUP_KEY is not set");
    expect(existsSync(archive())).toBe(false);
  });

  test("a malformed key is refused without being shown", async () => {
    hub.environment = { ...hub.environment, NEST_BACKUP_KEY: "abc123" };
    expect(await hub.run("run", "-local", archive())).toBe(2);
    expect(hub.err).toContain("must be 64 hexadecimal characters");
    expect(hub.err).not.toContain("abc123");
  });

  test.each(["0", "-1", "many", "1.5"])(
    "NEST_BACKUP_RETENTION=%s is refused before anything is written",
    async (retention) => {
      hub.environment = { ...hub.environment, NEST_BACKUP_RETENTION: retention };
      expect(await hub.run("run")).toBe(2);
      expect(await names()).toEqual([]);
    },
  );

  test.each([undefined, "Not A Bucket"])("a bucket %j: exit 2", async (bucket) => {
    hub.environment = { ...hub.environment, NEST_BACKUP_BUCKET: bucket };
    expect(await hub.run("run")).toBe(2);
  });

  test.each([
    ["run", "-skip-spokes=yes"],
    ["run", "-nope"],
    ["nope"],
    [],
    ["run", "word"],
    ["extract"],
    ["run", "-codec", "lz4"],
  ])("usage: %j is exit 2 and nothing on standard output", async (...words) => {
    expect(await hub.run(...words)).toBe(2);
    expect([hub.out, hub.err.length > 0]).toEqual(["", true]);
  });

  test.each([["-h"], ["run", "-h"], ["--help"]])("help: %j goes to standard output, exit 0", async (...words) => {
    expect(await hub.run(...words)).toBe(0);
    expect(hub.out).toContain("usage: nest-backup");
  });
});

describe("run to the storage", () => {
  test("uploads under a name with hub and time, reads back, verifies and says so", async () => {
    hub.environment = { ...hub.environment, NEST_HUB_ID: "prod 1" };
    expect(await hub.run("run")).toBe(0);
    expect(hub.out).toContain("backup complete: nest-hub-backup-prod-1-20261121T031700Z.tar.gz.enc");
    expect(await names()).toEqual(["nest-hub-backup-prod-1-20261121T031700Z.tar.gz.enc"]);
    expect(await hub.run("verify")).toBe(0);
    expect(hub.out).toContain("archive OK: 8 files, 0 spokes, created 2026-11-21T03:17:00.000Z");
  });

  test("a name that is taken is left alone; the next second is taken", async () => {
    await hub.run("run");
    expect(await hub.run("run")).toBe(0);
    expect(await names()).toEqual([
      "nest-hub-backup-nest-hub-20261121T031700Z.tar.gz.enc",
      "nest-hub-backup-nest-hub-20261121T031701Z.tar.gz.enc",
    ]);
  });

  test("keeps NEST_BACKUP_RETENTION archives, the oldest go first, other hubs' never", async () => {
    hub.environment = { ...hub.environment, NEST_BACKUP_RETENTION: "2" };
    const other = "nest-hub-backup-nest-hub-eu-20200101T000000Z.tar.gz.enc";
    await hub.blobs.put(other, stream("x"), { metadata: {}, signal });
    for (let day = 0; day < 4; day += 1) {
      expect(await hub.run("run")).toBe(0);
      await hub.clock.advance(24 * 3_600_000);
    }
    const day = (date: number) => `nest-hub-backup-nest-hub-202611${date}T031700Z.tar.gz.enc`;
    expect(await names()).toEqual([day(23), day(24), other]);
  });

  test("a storage that gives back other bytes fails the run; only that object goes, nothing is pruned", async () => {
    hub.environment = { ...hub.environment, NEST_BACKUP_RETENTION: "1" };
    const sound = hub.blobs;
    await hub.run("run");
    await hub.clock.advance(3_600_000);
    hub.blobs = withFault(sound, {
      async *get(name) {
        for await (const piece of sound.get(name, signal)) yield Buffer.from(piece).fill(0, 200, 210);
      },
    });
    expect(await hub.run("run")).toBe(1);
    expect(hub.err).toContain("the archive was stored but did not verify");
    expect(await names()).toEqual(["nest-hub-backup-nest-hub-20261121T031700Z.tar.gz.enc"]);
  });

  test("much less than before is stored, and nothing is pruned: exit 3", async () => {
    hub.environment = { ...hub.environment, NEST_BACKUP_RETENTION: "1" };
    for (let user = 0; user < 20; user += 1) hub.write(`saas/users/${user}.json`, "{}");
    await hub.run("run");
    for (let user = 0; user < 20; user += 1) rmSync(join(hub.dataDir, `saas/users/${user}.json`));
    await hub.clock.advance(3_600_000);
    expect(await hub.run("run")).toBe(3);
    expect(hub.out).toContain("NOT PRUNED: much less than before: 8 files, 28 in nest-hub-backup");
    expect(await names()).toHaveLength(2);
  });

  test("a delete that fails is told: exit 3; one that is locked is kept: exit 0", async () => {
    hub.environment = { ...hub.environment, NEST_BACKUP_RETENTION: "1" };
    const sound = hub.blobs;
    await hub.run("run");
    await hub.clock.advance(3_600_000);
    hub.blobs = withFault(sound, { remove: async () => Promise.reject(new Error("status 500")) });
    expect(await hub.run("run")).toBe(3);
    await hub.clock.advance(3_600_000);
    hub.blobs = withFault(sound, { remove: async () => "locked" as const });
    expect(await hub.run("run")).toBe(0);
  });

  test("a fifth of the spokes less than before: stored, and nothing is pruned: exit 3", async () => {
    hub.environment = { ...hub.environment, NEST_BACKUP_RETENTION: "1" };
    for (let spoke = 0; spoke < 10; spoke += 1) hub.addSpoke(`s${spoke}`, { "nest.yaml.runtime": "a: 1\n" });
    expect(await hub.run("run")).toBe(0);
    const registry = JSON.parse(readFileSync(join(hub.dataDir, "hub-registry.json"), "utf8")).nests;
    for (const [kept, code, archives] of [
      [8, 0, 1],
      [5, 3, 2],
    ]) {
      hub.write("hub-registry.json", JSON.stringify({ nests: registry.slice(0, kept) }));
      await hub.clock.advance(3_600_000);
      expect(await hub.run("run")).toBe(code);
      expect(await names()).toHaveLength(archives ?? 0);
    }
    expect(hub.out).toContain("NOT PRUNED: much less than before: 5 spokes, 8 in nest-hub-backup");
  });

  test("without NEST_BACKUP_RETENTION thirty archives are kept", async () => {
    for (let day = 0; day < 32; day += 1) {
      expect(await hub.run("run", "-skip-spokes", "-skip-secrets")).toBe(0);
      await hub.clock.advance(24 * 3_600_000);
    }
    expect(await names()).toHaveLength(30);
  });

  test("of NEST_HUB_ID, saas/hub-id and the namespace the first that is there names the archives", async () => {
    hub.environment = { ...hub.environment, NEST_HUB_NAMESPACE: "team-hub" };
    const nameOf = async () => {
      await hub.run("run", "-skip-secrets", "-skip-spokes", "-json");
      return JSON.parse(hub.out).dest as string;
    };
    expect(await nameOf()).toContain("nest-hub-backup-team-hub-2026");
    hub.write("saas/hub-id", "saved\n");
    expect(await nameOf()).toContain("nest-hub-backup-saved-2026");
    hub.environment = { ...hub.environment, NEST_HUB_ID: "given" };
    expect(await nameOf()).toContain("nest-hub-backup-given-2026");
  });

  test("after the key was replaced, older archives need the older key", async () => {
    await hub.run("run");
    const [older = ""] = await names();
    await hub.clock.advance(3_600_000);
    hub.environment = { ...hub.environment, NEST_BACKUP_KEY: "5e".repeat(32) };
    expect(await hub.run("run")).toBe(0);
    expect(await hub.run("verify")).toBe(0);
    expect(await hub.run("verify", "-name", older)).toBe(4);
    hub.environment = { ...hub.environment, NEST_BACKUP_KEY: KEY };
    expect(await hub.run("verify", "-name", older)).toBe(0);
  });

  test("-json tells programs what people are told", async () => {
    await hub.run("run", "-json");
    expect(JSON.parse(hub.out)).toMatchObject({ files: 8, spokes: 0, secrets: 4, pruned: { removed: [] } });
    await hub.run("list", "-json");
    expect(JSON.parse(hub.out).archives[0]).toMatchObject({ age_hours: 0, verified_at: "2026-11-21T03:17:00.000Z" });
  });

  test("figures for Prometheus keep the last success over a failed run", async () => {
    const file = hub.path("metrics.prom");
    hub.environment = { ...hub.environment, NEST_BACKUP_METRICS_FILE: file };
    await hub.run("run");
    const good = readFileSync(file, "utf8");
    expect(good).toContain("nest_backup_last_run_success 1\n");
    expect(good).toContain("nest_backup_files 8\n");
    rmSync(join(hub.dataDir, "saas"), { recursive: true });
    await hub.clock.advance(3_600_000);
    await hub.run("run");
    const bad = readFileSync(file, "utf8");
    expect(bad).toContain("nest_backup_last_run_success 0\n");
    expect(/last_success_timestamp_seconds (\d+)/.exec(bad)?.[1]).toBe(
      /last_success_timestamp_seconds (\d+)/.exec(good)?.[1],
    );
  });
});

describe("run to a file", () => {
  test("replaces the file in one step and leaves nothing beside it", async () => {
    writeFileSync(archive(), "an older archive");
    expect(await hub.run("run", "-local", archive())).toBe(0);
    expect(statSync(archive()).mode & 0o777).toBe(0o600);
    expect(readdirSync(hub.folder).sort()).toEqual(["archive.enc", "data"]);
  });

  test("a run that fails leaves the older archive as it was", async () => {
    writeFileSync(archive(), "an older archive");
    hub.cluster.removeSecret("nest-hub", "nest-hub-secrets");
    expect(await hub.run("run", "-local", archive())).toBe(1);
    expect(readFileSync(archive(), "utf8")).toBe("an older archive");
  });

  test("a full disk is told and leaves nothing under the name", async () => {
    const small = hub.path("small");
    try {
      execFileSync("/bin/sh", ["-c", 'mkdir "$1" && mount -t tmpfs -o size=64k tmpfs "$1"', "sh", small], {
        stdio: "ignore",
      });
    } catch {
      console.error("skipped: a full disk (mounting a small file system needs more rights)");
      return;
    }
    try {
      hub.write("saas/large", Buffer.from(Array.from({ length: 300_000 }, () => Math.floor(Math.random() * 256))));
      expect(await hub.run("run", "-local", join(small, "archive.enc"))).toBe(1);
      expect(readdirSync(small)).toEqual([]);
    } finally {
      execFileSync("/bin/sh", ["-c", 'umount "$1"', "sh", small]);
    }
  });

  test("two runs to one file at once leave one whole archive", async () => {
    const other = new HubUnderTest();
    await other.clock.advance(1);
    const codes = await Promise.all([hub.run("run", "-local", archive()), other.run("run", "-local", archive())]);
    other[Symbol.dispose]();
    expect(codes).toEqual([0, 0]);
    expect(await hub.run("verify", "-file", archive())).toBe(0);
  });
});

async function* stream(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}
