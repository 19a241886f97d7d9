import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemRandom } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeHubId } from "./hub-id.ts";

let data = "";
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "nest-hub-id-"));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const random = systemRandom();
const saved = () => readFileSync(join(data, "saas/hub-id"), "utf8");
const boot = (environment: Record<string, string> = {}, namespaceFile = join(data, "none")) =>
  makeHubId(data, { environment, random, namespaceFile });

test("a hub's name is its namespace: the variable's, else its pod's", async () => {
  writeFileSync(join(data, "namespace"), "team-hub");
  await boot({}, join(data, "namespace"));
  expect(saved()).toBe("team-hub\n");
  rmSync(join(data, "saas"), { recursive: true });
  await boot({ NEST_HUB_NAMESPACE: "given" }, join(data, "namespace"));
  expect(saved()).toBe("given\n");
});

test("elsewhere it is a random one, another for every hub", async () => {
  await boot();
  const first = saved();
  expect(first).toMatch(/^hub-[0-9a-f]{16}\n$/);
  rmSync(join(data, "saas"), { recursive: true });
  await boot();
  expect(saved()).not.toBe(first);
});

test("a name that is there stays", async () => {
  await boot({ NEST_HUB_NAMESPACE: "first" });
  await boot({ NEST_HUB_NAMESPACE: "second" });
  expect([saved(), statSync(join(data, "saas")).mode & 0o777]).toEqual(["first\n", 0o700]);
});
