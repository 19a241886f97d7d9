import { seededRandom, systemRandom } from "@nest/kit";
import { NestId, namespaceOf } from "@nest/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { newNestId, newPlaceholderId } from "./ids.ts";

const never = async () => false;

test("an id is hosted-<org>-<primary_repo>-<4 characters>, lower-cased, every other run of characters one -", async () => {
  const id = await newNestId({ org: "Acme_Corp", primaryRepo: "acme/My..Widgets" }, systemRandom(), never);
  expect(id).toMatch(/^hosted-acme-corp-my-widgets-[a-z0-9]{4}$/);
});

test("an id that is taken is not given again", async () => {
  const seen: string[] = [];
  const isTaken = async (id: string) => seen.push(id) < 3;
  const id = await newNestId({ org: "a", primaryRepo: "b" }, seededRandom(1), isTaken);
  expect(seen).toHaveLength(3);
  expect(seen.at(-1)).toBe(id);
});

test("when every id is taken the failure says so", async () => {
  await expect(newNestId({ org: "a", primaryRepo: "b" }, seededRandom(1), async () => true)).rejects.toMatchObject({
    code: "nest_id_exhausted",
  });
});

test("whatever the names are, an id is valid and its namespace has at most 63 characters", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), async (org, primaryRepo) => {
      const id = await newNestId({ org, primaryRepo }, systemRandom(), never);
      expect(NestId.safeParse(id).success).toBe(true);
      expect(namespaceOf(id).length).toBeLessThanOrEqual(63);
    }),
  );
});

test("a placeholder's id names its cluster and day", async () => {
  const id = await newPlaceholderId("East_1", Date.UTC(2026, 10, 23), seededRandom(1), never);
  expect(id).toMatch(/^hosted-available-east-1-261123-[a-z0-9]{4}$/);
});
