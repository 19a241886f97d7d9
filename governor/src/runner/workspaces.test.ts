import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Workspaces } from "./workspaces.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "nest-workspaces-"));
});
afterEach(() => rm(root, { recursive: true }));

test("the end of one run takes nothing from the others, however many there are", async () => {
  const workspaces = new Workspaces(root);
  const [first = "", ...others] = await Promise.all(
    Array.from({ length: 6 }, (_, at) => workspaces.make(`run-${at}`, 1_795_000_000_000 + at)),
  );
  const made = workspaces.make("another", 1_795_000_000_009);
  expect(await workspaces.end(first)).toEqual([]);
  for (const workspace of [...others, await made]) expect((await stat(workspace)).isDirectory()).toBe(true);
  for (const workspace of [...others, await made]) await workspaces.end(workspace);
  expect(await readdir(root)).toHaveLength(3);
});
