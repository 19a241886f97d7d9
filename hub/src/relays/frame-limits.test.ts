import { expect, test } from "vitest";
import { countMalformed, mayBeRead } from "./frame-limits.ts";
import { aSession } from "./testing/fake-transport.ts";

const KIB = 1024;
const nobody = { count: () => 0 };
const ada = { connection: "conn-here-0", contributorId: "c-ada", identity: "c-ada" };

test("before authentication four small frames are read; a fifth is the end, and counts against the address", () => {
  const { session, transport } = aSession();
  const early: string[] = [];
  const read = Array.from({ length: 5 }, () => mayBeRead(session, 10, 0, { count: (address) => early.push(address) }));
  expect(read).toEqual([true, true, true, true, false]);
  expect(early).toEqual(["::1"]);
  expect(transport.closes).toEqual([[1008, "too many frames before authentication"]]);
});

test("before authentication no frame is longer than 4 KiB", () => {
  const { session, transport } = aSession();
  expect(mayBeRead(session, 4 * KIB, 0, nobody)).toBe(true);
  expect(mayBeRead(session, 4 * KIB + 1, 0, nobody)).toBe(false);
  expect(transport.closes).toEqual([[1009, "a frame before authentication is longer than 4 KiB"]]);
});

test("an authenticated relay may send 16 MiB within ten seconds, and as much again after them", () => {
  const { session, transport } = aSession();
  session.relayIdentity = ada;
  const most = 16 * KIB * KIB;
  expect(mayBeRead(session, most, 0, nobody)).toBe(true);
  expect(mayBeRead(session, most, 10_000, nobody)).toBe(true);
  expect(mayBeRead(session, 1, 19_999, nobody)).toBe(false);
  expect(transport.closes).toEqual([[1008, "more than 16 MiB within ten seconds"]]);
});

test("the first frame that cannot be read is worth a line in the log, the thousandth is the end", () => {
  const { session, transport } = aSession();
  const first = Array.from({ length: 999 }, () => countMalformed(session));
  expect(first.filter(Boolean)).toHaveLength(1);
  expect(transport.closes).toEqual([]);
  countMalformed(session);
  expect(transport.closes).toEqual([[1008, "too many malformed frames"]]);
});
