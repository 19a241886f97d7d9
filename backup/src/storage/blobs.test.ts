import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { blobsContract } from "../testing/blobs-contract.ts";
import { MemoryBlobs } from "../testing/memory-blobs.ts";
import { listed } from "./blobs.ts";
import { FolderBlobs } from "./folder.ts";

const home = mkdtempSync(join(tmpdir(), "nest-blobs-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe("in memory", () => blobsContract({ test, expect }, async () => new MemoryBlobs(() => 0)));

describe("in a folder", () => {
  let number = 0;
  blobsContract({ test, expect }, async () => new FolderBlobs(join(home, String(number++))));

  test("what is no file is no object: a link to nowhere, a folder, a pipe", async () => {
    const folder = mkdtempSync(join(home, "odd-"));
    symlinkSync("/no/such/file", join(folder, "link"));
    mkdirSync(join(folder, "folder"));
    execFileSync("mkfifo", [join(folder, "pipe")]);
    writeFileSync(join(folder, "file"), "x");
    const signal = new AbortController().signal;
    const blobs = new FolderBlobs(folder);
    expect((await listed(blobs, "", signal)).map(({ name }) => name)).toEqual(["file"]);
    await expect(blobs.get("pipe", signal)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: "blob_absent",
    });
  });

  test("a note that somebody damaged makes no object unreadable", async () => {
    const folder = mkdtempSync(join(home, "note-"));
    for (const [name, text] of [
      ["a", "x"],
      [".a.json", "{"],
    ] as const)
      writeFileSync(join(folder, name), text);
    expect(await new FolderBlobs(folder).facts("a")).toMatchObject({ bytes: 1, metadata: {} });
  });

  test("abandoned parts are swept once they are old, and only ours", async () => {
    const folder = mkdtempSync(join(home, "sweep-"));
    for (const name of [".ours.0a1b2c3d.part", ".theirs.0a1b2c3d.part"]) {
      writeFileSync(join(folder, name), "x");
      utimesSync(join(folder, name), 0, 0);
    }
    const signal = new AbortController().signal;
    expect(await new FolderBlobs(folder).sweep((name) => name === "ours", 1000, signal)).toBe(1);
    expect(readdirSync(folder)).toEqual([".theirs.0a1b2c3d.part"]);
  });
});
