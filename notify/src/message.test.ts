import { expect, test } from "vitest";
import { digestOf } from "./message.ts";

const AT = "2026-01-10T12:00:00.000Z";

test("a digest names the first messages and counts the others", () => {
  const many = Array.from({ length: 30 }, () => ({
    event: "run_failed",
    at: AT,
    title: "scanner failed",
    text: "why",
  }));
  const digest = digestOf(many, 7, { at: AT, address: "https://nests.example/nest/n1/" });
  expect(digest).toMatchObject({ title: "37 messages that waited", link: "https://nests.example/nest/n1/" });
  const lines = digest.text.split("\n");
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([
    21,
    "2026-01-10 12:00 UTC: scanner failed (why)",
    "and 17 more",
  ]);
});
