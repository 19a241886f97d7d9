import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changeOverlay, mergeOverlay, readOverlay } from "./overlay.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-overlay-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("the overlay wins for the keys it has, the seed for the rest", () => {
  const seed = { project: { org: "a", repos: ["x", "y"] }, acmm_level: 2 };
  expect(mergeOverlay(seed, { project: { repos: ["z"] } })).toEqual({
    project: { org: "a", repos: ["z"] },
    acmm_level: 2,
  });
  expect(mergeOverlay(seed, {})).toEqual(seed);
});

test("saving a key keeps comments and other keys, and taking it out leaves them too", async () => {
  await writeFile(join(folder, "nest.yaml.dashboard"), "# mine\nproject:\n  org: acme # really\n");
  await changeOverlay(folder, [[["governor", "backup", "key_name"], "spring"]]);
  expect(await readOverlay(folder)).toEqual({ project: { org: "acme" }, governor: { backup: { key_name: "spring" } } });
  await changeOverlay(folder, [[["governor", "backup", "key_name"], undefined]]);
  const text = await readFile(join(folder, "nest.yaml.dashboard"), "utf8");
  expect(text).toContain("# mine");
  expect(text).toContain("# really");
  expect(text).not.toContain("spring");
});
