import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { nests } from "@nest/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { aNest, HostedScene } from "../harness/hosted-scene.ts";

// Somebody with a nest of their own on the hub, and all that their nest's pod holds, wants more than that.

const HEARTBEAT_SECRET = "heartbeat-secret-of-the-tests";
let scene: HostedScene;
let victim: string;
beforeEach(async () => {
  scene = await HostedScene.start();
  for (const login of ["ada", "eve", "root"]) await scene.user(login);
  victim = await scene.create("ada");
});
afterEach(() => scene[Symbol.asyncDispose]());

const check = (id: string, cookie: string, uri = "/") =>
  scene.hub.call("GET", `/api/saas/auth-check?nest=${id}&uri=${encodeURIComponent(uri)}`, undefined, { cookie });

test("cannot tell a nest of somebody else from one that there is not", async () => {
  for (const end of ["", "/status", "/access"]) {
    const [there, nowhere] = await Promise.all(
      [victim, "hosted-no-such-nest"].map((id) => scene.as("eve", "GET", `/api/saas/nests/${id}${end}`)),
    );
    expect(there).toMatchObject({ status: 404, body: nowhere?.body });
  }
  const asks = await Promise.all(
    [victim, "hosted-no-such-nest"].map((id) => scene.as("eve", "POST", `/api/saas/nests/${id}/request-access`)),
  );
  expect(asks.map(({ status, body }) => [status, body])).toEqual(Array(2).fill([200, { status: "requested" }]));
});

test("cannot read files by ids that lead elsewhere", async () => {
  for (const id of ["..", "../users/ada", "..%2f..%2fsaas%2fusers", "a/b", ".", "%2e%2e", "A", "-a", "a".repeat(52)]) {
    const { status } = await scene.hub.admin("GET", `/api/saas/nests/${id}`);
    expect([id, [404, 405].includes(status)]).toEqual([id, true]);
  }
});

test("cannot make a browser of somebody else create, change or delete a nest from another site", async () => {
  const elsewhere = { cookie: "nest_hub_user=ada", origin: "https://evil.example" };
  const tries = [
    ["POST", "/api/saas/nests", aNest],
    ["POST", `/api/saas/nests/${victim}/access`, { username: "eve", role: "merger" }],
    ["PUT", `/api/saas/nests/${victim}/visibility`, { is_public: true }],
    ["DELETE", `/api/saas/nests/${victim}`, undefined],
  ] as const;
  for (const [method, path, body] of tries)
    expect((await scene.hub.call(method, path, body, elsewhere)).body).toMatchObject({ code: "foreign_origin" });
});

test("with the secret that every nest has: cannot show, hide or bring back another nest, nor become its owner", async () => {
  const beat = (body: object) =>
    scene.hub.call(
      "POST",
      "/api/heartbeat",
      { nest_id: victim, ...body },
      { authorization: `Bearer ${HEARTBEAT_SECRET}` },
    );
  await scene.as("ada", "PUT", `/api/saas/nests/${victim}/visibility`, { is_public: false });
  await beat({ is_public: true, owner: "eve", org: "eve", dashboard_url: "https://evil.example" });
  const { body } = await scene.as("ada", "GET", `/api/saas/nests/${victim}`);
  expect(body).toMatchObject({
    owner: "ada",
    org: "acme",
    is_public: false,
    url: `https://${victim}.east.example.org`,
  });
  expect(((await scene.hub.call("GET", "/api/registry")).body as { nests: object[] }).nests).toEqual([]);
});

test("cannot enter another nest with the cookies of their own, nor with made-up ones", async () => {
  const own = await scene.create("eve");
  for (const cookie of [
    "nest_hub_user=eve",
    "nest_hub_user=eve; nest_pass=eyJ1IjoiYWRhIn0.AAAA",
    `nest_hub_user=eve; nest_pass=${"a".repeat(4000)}`,
    "nest_hub_user=ada%0d%0aX-Nest-Role: owner",
    "nest_hub_user=../ada",
  ]) {
    const { status, headers } = await check(victim, cookie);
    expect([cookie, [401, 403].includes(status), headers.get("x-nest-proxy-auth")]).toEqual([cookie, true, null]);
  }
  expect((await check(own, "nest_hub_user=eve")).headers.get("x-nest-role")).toBe("owner");
});

test("is out at once when blocked, from the hub and from every nest", async () => {
  const own = await scene.create("eve");
  expect((await check(own, "nest_hub_user=eve")).status).toBe(200);
  await scene.hub.admin("PUT", "/api/saas/users/eve", { blocked: true });
  expect([
    (await check(own, "nest_hub_user=eve")).status,
    (await scene.as("eve", "GET", "/api/saas/my-nests")).status,
  ]).toEqual([401, 401]);
});

test("cannot raise their own quota, list users, see kubeconfigs, or choose the image that runs with a nest's credentials", async () => {
  const own = await scene.create("eve");
  expect((await scene.as("eve", "PUT", "/api/saas/users/eve", { saas_quota: 100 })).status).toBe(403);
  expect((await scene.as("eve", "GET", "/api/saas/users")).status).toBe(403);
  const { body } = await scene.as("eve", "GET", "/api/saas/clusters");
  expect(JSON.stringify(body)).not.toMatch(/kubeconfig|context/);
  expect(
    (await scene.as("eve", "POST", `/api/saas/nests/${own}/upgrade`, { image: "evil.example/spoke:1" })).status,
  ).toBe(403);
  expect((await scene.as("eve", "POST", `/api/saas/nests/${own}/migrate`, { cluster_id: "east" })).status).toBe(403);
});

test("a record that was made malformed takes nobody else's list away", async () => {
  const own = await scene.create("eve");
  await writeFile(join(scene.hub.folder, "saas/nests", own, "meta.json"), '{"id": "something-else"');
  const { body, status } = await scene.as("ada", "GET", "/api/saas/my-nests");
  expect([status, (body as { nests: nests.NestRow[] }).nests.map(({ id }) => id)]).toEqual([200, [victim]]);
});

test("no file of the hub's store is open to other users of the machine, and none holds a credential in clear", async () => {
  const folder = join(scene.hub.folder, "saas/nests", victim);
  for (const name of await readdir(folder)) {
    expect([name, (await stat(join(folder, name))).mode & 0o077]).toEqual([name, 0]);
    expect(await readFile(join(folder, name), "latin1")).not.toContain("ghp_");
  }
});
