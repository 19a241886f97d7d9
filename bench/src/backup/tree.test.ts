import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { benchBackup } from "./backup.ts";
import { content, makeTree } from "./tree.ts";

test("a tree is the same every time and of about the size asked for", () => {
  const folder = mkdtempSync(join(tmpdir(), "nest-bench-tree-"));
  const { bytes, files } = makeTree(folder, 5);
  rmSync(folder, { recursive: true });
  expect([bytes >= 5 * 1024 * 1024, files > 5]).toEqual([true, true]);
  expect(content(3, 1000).equals(content(3, 1000))).toBe(true);
});

test("the bench runs to its end and prints its ratios", { timeout: 120_000, retry: 1 }, async () => {
  const lines: string[] = [];
  await benchBackup({ megabytes: 5, quick: true, rounds: 1, print: (text) => void lines.push(text), tell: () => {} });
  const text = lines.join("\n");
  expect(text).toContain("ratio: speed: ours, gzip / single shot, all in memory = ");
  expect(text).toMatch(/wrong key told in \d+ ms/);
});
