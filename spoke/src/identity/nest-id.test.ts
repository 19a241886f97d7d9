import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemRandom } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nestId } from "./nest-id.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-id-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("the first boot makes an id and the next one keeps it", async () => {
  const first = await nestId(join(folder, "data"), systemRandom());
  expect(first).toMatch(/^nest-[0-9a-f]{16}$/);
  expect(await nestId(join(folder, "data"), systemRandom())).toBe(first);
  expect(await readFile(join(folder, "data", "nest-id"), "utf8")).toBe(`${first}\n`);
});

test("a damaged id is told, never replaced", async () => {
  await writeFile(join(folder, "nest-id"), "what/is this");
  await expect(nestId(folder, systemRandom())).rejects.toThrow("not a nest id");
});

test("a hosted nest has the id that its hub gave it, whatever its data says", async () => {
  await writeFile(join(folder, "nest-id"), "nest-of-somebody-else\n");
  expect(await nestId(folder, systemRandom(), "hosted-acme-widgets-ab12")).toBe("hosted-acme-widgets-ab12");
  expect(await nestId(folder, systemRandom())).toBe("hosted-acme-widgets-ab12");
  await expect(nestId(folder, systemRandom(), "../x")).rejects.toThrow("NEST_ID: not a nest id");
});
