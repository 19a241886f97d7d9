import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HubUnderTest, KEY } from "../testing/a-hub.ts";

let hub: HubUnderTest;
beforeEach(() => {
  hub = new HubUnderTest();
});
afterEach(() => hub[Symbol.dispose]());

const archive = () => hub.path("archive.enc");

describe("verify and extract", () => {
  test("the newest archive is verified; without any it is a failure", async () => {
    expect(await hub.run("verify")).toBe(1);
    expect(hub.err).toContain("there are no archives");
    await hub.run("run");
    expect(await hub.run("verify", "-json")).toBe(0);
    expect(JSON.parse(hub.out)).toMatchObject({ files: 8, form: "chunked" });
  });

  test("a wrong key is exit 4, damage is exit 5, an absent file is exit 1", async () => {
    await hub.run("run", "-local", archive());
    hub.environment = { ...hub.environment, NEST_BACKUP_KEY: "f".repeat(64) };
    expect(await hub.run("verify", "-file", archive())).toBe(4);
    expect(await hub.run("extract", "-file", archive(), "-dest", hub.path("out"))).toBe(4);
    hub.environment = { ...hub.environment, NEST_BACKUP_KEY: KEY };
    const bytes = readFileSync(archive());
    writeFileSync(archive(), bytes.subarray(0, bytes.length - 5));
    expect(await hub.run("verify", "-file", archive())).toBe(5);
    expect(await hub.run("verify", "-file", hub.path("nothing"))).toBe(1);
    expect(existsSync(hub.path("out"))).toBe(false);
  });

  test("verify, extract and restore never ask for a cluster", async () => {
    await hub.run("run", "-local", archive());
    const asked = hub.clustersAsked;
    await hub.run("verify", "-file", archive());
    await hub.run("extract", "-file", archive(), "-dest", hub.path("out"));
    await hub.run("restore", "-file", archive(), "-dest", hub.path("restored"));
    expect([asked > 0, hub.clustersAsked]).toEqual([true, asked]);
  });

  test("a spoke that was not captured is printed with its reason, exit 0", async () => {
    hub.addSpoke("bare", { "nest-id": "bare" });
    expect(await hub.run("run", "-local", archive())).toBe(3);
    expect(hub.out).toContain(
      "SPOKE GAPS: 1, FILE GAPS: 0 (see manifest)\n  spoke bare: nest-hosted-bare/nest-bare: none of",
    );
    for (const words of [["verify"], ["extract", "-dest", hub.path("out")]] as const) {
      expect(await hub.run(...words, "-file", archive())).toBe(0);
      expect(hub.out).toContain(
        "WARNING: 1 spokes and 0 files were NOT captured:\n  spoke bare: nest-hosted-bare/nest-bare: none of",
      );
    }
  });

  test("an archive in the storage is extracted and restored by its name, without another tool", async () => {
    await hub.run("run", "-json");
    const name = JSON.parse(hub.out).dest as string;
    expect(await hub.run("extract", "-name", name, "-dest", hub.path("out"))).toBe(0);
    expect(await hub.run("restore", "-name", name, "-dest", hub.path("restored"))).toBe(0);
    expect(existsSync(join(hub.path("restored"), "saas/hmac.key"))).toBe(true);
    expect(await hub.run("restore", "-name", "nest-hub-backup-none", "-dest", hub.path("other"))).toBe(1);
    expect(hub.err).toContain("there is no object nest-hub-backup-none");
    expect(await hub.run("extract", "-name", name, "-file", archive(), "-dest", hub.path("other"))).toBe(2);
    expect(await hub.run("restore", "-dest", hub.path("other"))).toBe(2);
  });

  test("gaps are printed and are exit 0", async () => {
    symlinkSync("/etc", join(hub.dataDir, "saas/link"));
    await hub.run("run", "-local", archive());
    expect(await hub.run("verify", "-file", archive())).toBe(0);
    expect(hub.out).toContain("WARNING: 0 spokes and 1 files were NOT captured:");
  });
});

describe("every vector by the exit code of verify and extract", () => {
  const folder = new URL("../../../archive/vectors/", import.meta.url);
  const vectors = JSON.parse(readFileSync(new URL("vectors.json", folder), "utf8")) as {
    readonly name: string;
    readonly file: string;
    readonly key: string;
    readonly change?: readonly unknown[];
    readonly expect: string;
  }[];
  const CODES: Readonly<Record<string, number>> = {
    ok: 0,
    unsupported: 1,
    wrong_key: 4,
    damaged: 5,
    hostile: 5,
    inconsistent: 5,
  };

  test.each(vectors.filter(({ change }) => change === undefined))("$name: $expect", async (vector) => {
    hub.environment = { ...hub.environment, NEST_BACKUP_KEY: vector.key };
    const file = new URL(`${vector.file}.enc`, folder).pathname;
    expect(await hub.run("verify", "-file", file)).toBe(CODES[vector.expect]);
    expect(await hub.run("extract", "-file", file, "-dest", hub.path("out"))).toBe(CODES[vector.expect]);
    expect(existsSync(hub.path("out"))).toBe(vector.expect === "ok");
    expect(hub.err).not.toContain("internal error");
  });
});
