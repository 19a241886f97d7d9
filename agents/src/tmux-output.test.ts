import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TmuxSession } from "./tmux.ts";

const MEBIBYTE = 1024 * 1024;
/** The pipe brings its text in pieces of this size. */
const PIECE = 64 * 1024;

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-tmux-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** A session whose multiplexer answers whatever it is asked with this script. */
async function sessionWith(script: string): Promise<TmuxSession> {
  const binary = join(folder, "tmux");
  await writeFile(binary, `#!/bin/sh\n${script}\n`);
  await chmod(binary, 0o755);
  const environment = { PATH: process.env.PATH ?? "" };
  return new TmuxSession({ binary, socket: "s", session: "s", folder: "/", environment, mark: "ab" });
}

test("of a pane that holds 24 MiB its last 8 MiB are read, and no more is kept in memory", async () => {
  const flood = `head -c ${24 * MEBIBYTE} /dev/zero | tr '\\0' x`;
  const session = await sessionWith(`echo the first line; ${flood}; echo; echo the last line`);
  const text = await session.capture("everything");
  expect(text.length).toBeLessThanOrEqual(8 * MEBIBYTE + PIECE);
  expect(text.length).toBeGreaterThanOrEqual(8 * MEBIBYTE);
  expect([text.includes("the first line"), text.endsWith("the last line\n")]).toEqual([false, true]);
});

test("of what a failing multiplexer says its last words are kept", async () => {
  const flood = `head -c ${4 * MEBIBYTE} /dev/zero | tr '\\0' x >&2`;
  const session = await sessionWith(`${flood}; echo no server running >&2; exit 1`);
  const refused = await session.capture("screen").catch((thrown: Error) => thrown.message);
  expect(refused.length).toBeLessThanOrEqual(20_000);
  expect(refused).toMatch(/no server running$/);
});
