import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StartedProcesses } from "./started-processes.ts";

let folder = "";
let processes: StartedProcesses;
let told: string[] = [];
const tell = (why: string) => void told.push(why);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-started-"));
  processes = new StartedProcesses(folder);
  told = [];
});
afterEach(async () => {
  await processes.end();
  await rm(folder, { recursive: true, force: true });
});

/** A program that writes a line at each start, ends the first time, and then stays. */
async function programThatEndsOnce(): Promise<string> {
  const file = join(folder, "controller");
  const words = ["#!/bin/sh", 'echo started >> "$1"', '[ "$(wc -l < "$1")" -gt 1 ] || exit 1', "exec sleep 600"];
  await writeFile(file, `${words.join("\n")}\n`);
  await chmod(file, 0o755);
  return file;
}
const starts = async () =>
  (await readFile(join(folder, "starts"), "utf8").catch(() => "")).split("\n").filter(Boolean).length;

test("a program that keeps nothing and ends by itself is told and started again", async () => {
  processes.startAlways(await programThatEndsOnce(), [join(folder, "starts")], tell);
  await expect.poll(starts, { timeout: 10_000 }).toBe(2);
  expect(told).toEqual(["controller ended by itself (1); it is started again"]);
  expect(processes.hasEnded).toBe(false);
});

test("one that is started once stays ended, and that is known", async () => {
  processes.start(await programThatEndsOnce(), [join(folder, "starts")], tell);
  await expect.poll(() => told, { timeout: 10_000 }).toEqual(["controller ended by itself (1)"]);
  expect(processes.hasEnded).toBe(true);
});

test("after the end nothing is started again", async () => {
  processes.startAlways(await programThatEndsOnce(), [join(folder, "starts")], tell);
  await expect.poll(() => told.length, { timeout: 10_000 }).toBe(1);
  await processes.end();
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(await starts()).toBe(1);
});
