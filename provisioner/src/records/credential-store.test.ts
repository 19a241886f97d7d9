import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret, systemRandom } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CredentialStore } from "./credential-store.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-credentials-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const store = (key = "k") =>
  new CredentialStore({
    records: { folderOf: (id) => join(folder, id) },
    key: new Secret(key),
    random: systemRandom(),
  });

test("credentials wait sealed, in a file of mode 0600, and go when they are forgotten", async () => {
  await store().keep("a", { githubToken: new Secret("ghp_clear"), more: { "s3-secret": new Secret("clear too") } });
  const file = join(folder, "a", "credentials.sealed");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, "latin1")).not.toContain("clear");
  const taken = await store().take("a");
  expect(taken?.githubToken?.reveal()).toBe("ghp_clear");
  expect(taken?.more?.["s3-secret"]?.reveal()).toBe("clear too");
  expect(JSON.stringify(taken)).not.toContain("clear");
  await store().forget("a");
  expect(await store().take("a")).toBeUndefined();
  expect(await readdir(join(folder, "a"))).toEqual([]);
});

test("another key, another nest's file or a changed bit opens nothing, and the error quotes nothing", async () => {
  await store().keep("a", { githubToken: new Secret("ghp_clear") });
  await store().keep("b", {});
  const sealed = await readFile(join(folder, "a", "credentials.sealed"));
  await writeFile(join(folder, "b", "credentials.sealed"), sealed);
  const refused = { code: "nest_credentials_unreadable" };
  await expect(store("other").take("a")).rejects.toMatchObject(refused);
  await expect(store().take("b")).rejects.toMatchObject(refused);
  for (const bytes of [sealed.subarray(0, 5), Buffer.from(sealed.map((byte, at) => (at === 20 ? byte ^ 1 : byte)))]) {
    await writeFile(join(folder, "a", "credentials.sealed"), bytes);
    const thrown = await store()
      .take("a")
      .catch((error: unknown) => error);
    expect(thrown).toMatchObject(refused);
    expect((thrown as Error).cause).toBeUndefined();
  }
});

test("what waits for a nest that never came is removed at a start, and nothing else", async () => {
  for (const id of ["orphan", "nest"]) await store().keep(id, { githubToken: new Secret("ghp_clear") });
  await writeFile(join(folder, "nest", "meta.json"), "{}");
  await store().removeOrphans(folder, Date.now());
  expect((await readdir(folder)).sort()).toEqual(["nest", "orphan"]);
  await store().removeOrphans(folder, Date.now() + 3_600_000);
  expect(await readdir(folder)).toEqual(["nest"]);
  expect(await store().take("nest")).toBeDefined();
});
