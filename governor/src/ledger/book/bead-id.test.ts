import { seededRandom } from "@nest/kit";
import { BeadId } from "@nest/protocol";
import { expect, test } from "vitest";
import { newBeadId } from "./bead-id.ts";

test("a bead's id is short, readable and not given twice", () => {
  const random = seededRandom(7);
  const ids = Array.from({ length: 20_000 }, () => newBeadId(random));
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^nest-[0-9a-hjkmnp-tv-z]{10}$/);
  expect(BeadId.parse(ids[0])).toBe(ids[0]);
});
