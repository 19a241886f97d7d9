import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";
import { SignInHost } from "../harness/sign-in-host.ts";

// Somebody gives up a login, and a stranger takes it. Rights here belong to the account, not to the login.
let host: SignInHost;
beforeAll(async () => {
  host = await SignInHost.start();
});
afterAll(() => host[Symbol.asyncDispose]());

function start(): Promise<TestHub> {
  const oauth = { clientId: "client", clientSecret: undefined };
  return TestHub.start({ config: { webUrl: host.url, oauth, admins: ["boss"] } });
}

/** Signs in as the account that has this login now; returns the Cookie header. */
async function signIn(hub: TestHub, login: string): Promise<string> {
  return (await host.signIn(hub, login)).map(({ name, value }) => `${name}=${value}`).join("; ");
}

async function who(hub: TestHub, cookie: string): Promise<unknown> {
  return (await hub.call("GET", "/api/auth/user", undefined, { cookie })).body;
}

test("of a hub admin is no admin, and ends the sessions that were begun before", async () => {
  await using hub = await start();
  const boss = await signIn(hub, "boss");
  expect(await who(hub, boss)).toMatchObject({ login: "boss", hub_admin: true });
  hub.codeHost.rename("boss", "former-boss");
  const stranger = await signIn(hub, "boss");
  expect(await who(hub, stranger)).toMatchObject({ authenticated: true, login: "boss", hub_admin: false });
  expect(await who(hub, boss)).toMatchObject({ authenticated: false, hub_admin: false });
  const config = await hub.call("GET", "/api/config/governor/hub", undefined, { cookie: stranger });
  expect(config.status).toBe(403);
});

test("inherits no role on a nest and no quota", async () => {
  await using hub = await start();
  await signIn(hub, "carol");
  const file = join(hub.folder, "saas", "users", "carol.json");
  const record = JSON.parse(await readFile(file, "utf8"));
  await writeFile(file, JSON.stringify({ ...record, nests: { "hosted-acme": "owner" }, saas_quota: 50 }));
  await signIn(hub, "carol");
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ saas_quota: 50 });
  hub.codeHost.rename("carol", "former-carol");
  await signIn(hub, "carol");
  const after = JSON.parse(await readFile(file, "utf8"));
  expect([after.nests, after.saas_quota]).toEqual([{}, undefined]);
});

test("whose record is of an older release belongs to the first account that signs in with it", async () => {
  await using hub = await start();
  await signIn(hub, "boss");
  const file = join(hub.folder, "saas", "users", "boss.json");
  const { github_id: _, first_github_id: __, ...old } = JSON.parse(await readFile(file, "utf8"));
  await writeFile(file, JSON.stringify(old));
  const boss = await signIn(hub, "boss");
  expect(await who(hub, boss)).toMatchObject({ hub_admin: true });
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ github_id: expect.any(Number) });
});
