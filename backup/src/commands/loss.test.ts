import { readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listed } from "../storage/blobs.ts";
import { HubUnderTest } from "../testing/a-hub.ts";

let hub: HubUnderTest;
const DAY_MS = 24 * 3_600_000;
const signal = new AbortController().signal;
beforeEach(() => {
  hub = new HubUnderTest();
  hub.environment = { ...hub.environment, NEST_BACKUP_RETENTION: "2" };
});
afterEach(() => hub[Symbol.dispose]());

const names = async () => (await listed(hub.blobs, "nest-hub-backup-", signal)).map(({ name }) => name).sort();
const marks = async () => (await listed(hub.blobs, ".verified.", signal)).map(({ name }) => name).sort();
const nameOf = (date: number) => `nest-hub-backup-nest-hub-202611${date}T031700Z.tar.gz.enc`;

/** Runs a backup one night later; returns the exit code. */
async function night(...flags: string[]): Promise<number> {
  const code = await hub.run("run", ...flags);
  await hub.clock.advance(DAY_MS);
  return code;
}

function addUsers(): void {
  for (let user = 0; user < 20; user += 1) hub.write(`saas/users/${user}.json`, "{}");
}

function loseUsers(): void {
  for (let user = 0; user < 20; user += 1) rmSync(join(hub.dataDir, `saas/users/${user}.json`));
}

describe("a sudden loss", () => {
  test("is compared with the last whole archive, every night anew: nothing is pruned until it is back", async () => {
    addUsers();
    for (let day = 0; day < 2; day += 1) expect(await night()).toBe(0);
    loseUsers();
    for (let day = 0; day < 4; day += 1)
      expect([await night(), hub.out.includes(`28 in ${nameOf(22)}`)]).toEqual([3, true]);
    expect(await names()).toHaveLength(6);
    addUsers();
    expect(await night()).toBe(0);
    expect(await names()).toEqual([nameOf(26), nameOf(27)]);
  });

  test("that is as it should be is accepted once, with -less-ok", async () => {
    addUsers();
    await night();
    loseUsers();
    expect(await night()).toBe(3);
    expect(hub.out).toContain("nest-backup run -less-ok");
    expect(await night("-less-ok")).toBe(0);
    expect(await night()).toBe(0);
  });

  test("is told to whoever opens the archive: its manifest says what it was compared with", async () => {
    addUsers();
    await night();
    loseUsers();
    await night();
    const dest = hub.path("out");
    await hub.run("extract", "-name", nameOf(22), "-dest", dest);
    const manifest = JSON.parse(readFileSync(join(dest, "MANIFEST.json"), "utf8"));
    expect(manifest).toMatchObject({ whole: false, tool_version: "1.2.3", previous: { name: nameOf(21), files: 28 } });
    expect(manifest.much_less).toBe(`8 files, 28 in ${nameOf(21)}`);
  });
});

describe("archives that carry no note of ours", () => {
  const forgetNotes = async () => {
    for (const name of await marks()) await hub.blobs.remove(name, signal);
  };

  test("of an older release: one is read and compared with, all the same", async () => {
    addUsers();
    for (let day = 0; day < 2; day += 1) await night();
    await forgetNotes();
    loseUsers();
    expect([await night(), hub.out.includes(`28 in ${nameOf(22)}`)]).toEqual([3, true]);
    expect(await names()).toHaveLength(3);
  });

  test("of an older key: they go one by one, as new ones come", async () => {
    for (let day = 0; day < 2; day += 1) await night();
    hub.environment = { ...hub.environment, NEST_BACKUP_KEY: "5e".repeat(32) };
    expect(await night()).toBe(0);
    expect(await names()).toEqual([nameOf(22), nameOf(23)]);
    expect(await night()).toBe(0);
    expect(await names()).toEqual([nameOf(23), nameOf(24)]);
  });
});

describe("the last whole archive", () => {
  test("stays while newer ones have gaps, however many there are", async () => {
    await night();
    symlinkSync("/etc/passwd", join(hub.dataDir, "saas/link"));
    for (let day = 0; day < 4; day += 1) expect(await night()).toBe(3);
    expect(await names()).toEqual([nameOf(21), nameOf(24), nameOf(25)]);
    rmSync(join(hub.dataDir, "saas/link"));
    expect(await night()).toBe(0);
    expect(await names()).toEqual([nameOf(25), nameOf(26)]);
  });

  test("stays while newer ones were made without spokes", async () => {
    hub.addSpoke("one", { "nest.yaml.runtime": "a: 1\n" });
    await night();
    for (let day = 0; day < 3; day += 1) expect(await night("-skip-spokes")).toBe(0);
    expect(await names()).toEqual([nameOf(21), nameOf(23), nameOf(24)]);
  });

  test("goes with the note that it was found good", async () => {
    for (let day = 0; day < 4; day += 1) await night();
    expect(await marks()).toEqual((await names()).map((name) => `.verified.${name}`));
  });
});

describe("what is no gap", () => {
  const record = (id: string, more: object) =>
    hub.write(`saas/nests/${id}/meta.json`, JSON.stringify({ id, cluster_id: "home", ...more }));

  test("placeholders and nests at zero replicas: told as that, exit 0", async () => {
    hub.write(
      "clusters.json",
      JSON.stringify([
        { id: "home", in_cluster: true },
        { id: "far", pull_only: true },
      ]),
    );
    record("hosted-idle", { status: "available" });
    record("hosted-far", { status: "available", cluster_id: "far" });
    record("hosted-asleep", { status: "running", replicas: 0 });
    expect(await hub.run("run", "-json")).toBe(0);
    const { manifest } = JSON.parse(hub.out);
    expect([manifest.spoke_errors, manifest.whole]).toEqual([{}, true]);
    expect(manifest.spoke_skipped_registry).toEqual({
      "hosted-asleep": "at zero replicas",
      "hosted-far": "a placeholder, at zero replicas",
      "hosted-idle": "a placeholder, at zero replicas",
    });
  });

  test("one of them that has a pod all the same is read", async () => {
    hub.addSpoke("hosted-idle", { "nest.yaml.runtime": "a: 1\n" });
    record("hosted-idle", { status: "available" });
    expect(await hub.run("run", "-json")).toBe(0);
    expect(JSON.parse(hub.out).manifest.spoke_ids).toEqual(["hosted-idle"]);
  });

  test("a nest that should run and has no pod is a gap", async () => {
    record("hosted-lost", { status: "running" });
    expect(await hub.run("run")).toBe(3);
    expect(hub.out).toContain("spoke hosted-lost: no running pod in nest-hosted-hosted-lost");
  });

  test("nests that were scaled to zero are not lost", async () => {
    for (const id of ["a", "b", "c"]) hub.addSpoke(id, { "nest.yaml.runtime": "a: 1\n" });
    await night();
    for (const id of ["b", "c"]) {
      hub.cluster.removePods(`nest-hosted-${id}`);
      record(id, { replicas: 0 });
    }
    expect(await night()).toBe(0);
  });
});

test("what goes wrong once the archive is made is told and is no reason to make it again: exit 3", async () => {
  await night();
  const sound = hub.blobs;
  let listings = 0;
  hub.blobs = new Proxy(sound, {
    get(target, name) {
      const part = Reflect.get(target, name);
      if (name === "list" && ++listings > 2) throw new Error("status 503");
      return typeof part === "function" ? part.bind(target) : part;
    },
  });
  expect(await night()).toBe(3);
  expect(hub.out).toContain("backup complete: ");
  expect(hub.out).toContain("NOT PRUNED: older archives: status 503");
});
