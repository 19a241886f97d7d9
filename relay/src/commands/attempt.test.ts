import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { attempt } from "./attempt.ts";

const run = (script: string, timeoutMs: number) =>
  attempt("/bin/sh", ["-c", script], { environment: { PATH: "/usr/bin:/bin" }, folder: tmpdir(), timeoutMs });

test("a program's end is its code and what it said", async () => {
  expect(await run("echo out; echo err >&2; exit 3", 5_000)).toEqual({ code: 3, output: "out\n\nerr\n" });
});

test("a program that catches the wish to end has not ended by itself, whatever its code", async () => {
  expect(await run("trap 'exit 143' TERM; while :; do sleep 0.05; done", 200)).toBeUndefined();
});

test("a program that does not mind the wish to end holds up nobody", async () => {
  expect(await run("trap '' TERM; while :; do sleep 0.05; done", 200)).toBeUndefined();
});
