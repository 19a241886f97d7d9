import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AcceptedLogins } from "./accepted-logins.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-logins-"));
});
afterEach(() => rm(folder, { recursive: true }));

const login = { address: "wss://hub.example/api/contribute/ws", token: "a-token-of-the-test" };

test("a login that was accepted is known to the next relay, for this hub and this token alone", async () => {
  await (await AcceptedLogins.read(folder)).add(login);
  const later = await AcceptedLogins.read(folder);
  expect(later.has(login)).toBe(true);
  expect(later.has({ ...login, token: "another" })).toBe(false);
  expect(later.has({ ...login, address: "wss://other.example/api/contribute/ws" })).toBe(false);
});

test("the file is private and holds no token", async () => {
  await (await AcceptedLogins.read(folder)).add(login);
  const path = join(folder, "accepted-logins");
  expect(await readFile(path, "utf8")).not.toContain(login.token);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("what cannot be read remembers nothing, and the file stays short", async () => {
  await writeFile(join(folder, "accepted-logins"), "\u0000garbage\n");
  const logins = await AcceptedLogins.read(folder);
  for (let nth = 0; nth < 70; nth += 1) await logins.add({ ...login, token: String(nth) });
  const later = await AcceptedLogins.read(folder);
  expect([later.has({ ...login, token: "0" }), later.has({ ...login, token: "69" })]).toEqual([false, true]);
});
