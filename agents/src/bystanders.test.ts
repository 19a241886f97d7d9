import { expect, test } from "vitest";
import { cameSince, lookAround } from "./bystanders.ts";
import type { ProcessRow } from "./processes.ts";

const row = (pid: number, parent: number, more: Partial<ProcessRow> = {}): ProcessRow => ({
  pid,
  parent,
  group: pid,
  session: pid,
  user: 1001,
  startedAt: String(pid),
  ...more,
});

/** Before the run: an init, the relay under it, and a multiplexer's server. */
const before = {
  there: new Map([
    [1, "1"],
    [7, "7"],
    [20, "20"],
  ]),
  adopters: new Set([1, 20]),
  session: 7,
  user: 1001,
};
const standing = [row(1, 0), row(7, 1), row(20, 1)];

test("whoever was adopted since the run began belongs to it, with all below, whatever session or environment they have", () => {
  const rows = [...standing, row(30, 1), row(31, 30), row(40, 20), row(41, 40)];
  expect(cameSince(rows, before).map(({ pid }) => pid)).toEqual([30, 31, 40, 41]);
});

test("a person's shell from outside, the relay's own helpers and other users' processes do not", () => {
  const rows = [
    ...standing,
    row(50, 0),
    row(51, 50),
    row(60, 7),
    row(61, 1, { session: 7 }),
    row(62, 1, { user: 0 }),
    row(63, 99),
  ];
  expect(cameSince(rows, before)).toEqual([]);
});

test("a later process with an earlier one's number came since", () => {
  expect(
    cameSince([...standing, row(20, 1, { startedAt: "later" }), row(30, 1)], { ...before, adopters: new Set([1]) }),
  ).toEqual([row(20, 1, { startedAt: "later" }), row(30, 1)]);
});

test("outside a container of its own the relay looks at nobody", async () => {
  expect(await lookAround()).toBeUndefined();
});
