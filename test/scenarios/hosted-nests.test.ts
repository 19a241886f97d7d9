import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { nests as described, namespaceOf, type nests } from "@nest/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { aNest, HostedScene } from "../harness/hosted-scene.ts";

let scene: HostedScene;
beforeEach(async () => {
  scene = await HostedScene.start();
  for (const login of ["ada", "bob", "root"]) await scene.user(login);
});
afterEach(() => scene[Symbol.asyncDispose]());

const HEARTBEAT_SECRET = "heartbeat-secret-of-the-tests";
const signal = new AbortController().signal;

test("a nest that somebody creates is provisioning, then running, with everything that it is made of", async () => {
  const { body } = await scene.as("ada", "POST", "/api/saas/nests", { ...aNest, project_name: "The shop" });
  const { id } = body as { id: string };
  expect(body).toEqual({ id, status: "provisioning", subdomain: `${id}.east.example.org` });
  expect(id).toMatch(/^hosted-acme-[a-z0-9-]+-[a-z0-9]{4}$/);
  const nest = await scene.stands(id, "running");
  expect(nest).toMatchObject({ owner: "ada", acmm_level: 2, is_public: true, repos: ["acme/shop", "acme/web"] });
  expect(nest.steps.map(({ state }) => state)).not.toContain("failed");
  const namespace = namespaceOf(id);
  for (const [kind, apiVersion] of [
    ["Deployment", "apps/v1"],
    ["PersistentVolumeClaim", "v1"],
    ["Ingress", "networking.k8s.io/v1"],
  ] as const)
    expect((await scene.cluster.list({ kind, apiVersion }, { namespace }, signal)).length, kind).toBeGreaterThan(0);
});

test("a record keeps no secret, and no answer shows one", async () => {
  const id = await scene.create("ada");
  const file = await readFile(join(scene.hub.folder, "saas/nests", id, "meta.json"), "utf8");
  const answers = await Promise.all(
    ["", "/status", "/manifests"].map((end) => scene.as("ada", "GET", `/api/saas/nests/${id}${end}`)),
  );
  for (const text of [file, ...answers.map(({ body }) => JSON.stringify(body))]) expect(text).not.toContain("ghp_");
});

test("an app without key or installation ends in error, and everything else is there", async () => {
  const id = await scene.create("ada", { github_token: undefined, auth_method: "app", app_id: "77" }, "error");
  const { body } = await scene.as("ada", "GET", `/api/saas/nests/${id}`);
  expect((body as nests.NestDetail).error).toMatch(/^provisioning failed, check hub logs: /);
});

test.each([
  ["no org", { org: "" }, "org"],
  ["no repos", { repos: " , " }, "repos"],
  ["repos that lead elsewhere", { repos: "acme/../web" }, "repos"],
  ["a primary repository that is none of them", { primary_repo: "acme/elsewhere" }, "primary_repo"],
  ["a name that reads backwards", { project_name: "\u202eevil" }, "project_name"],
  ["a level that there is not", { acmm_level: 7 }, "acmm_level"],
  ["a token of another kind", { github_token: "gho_abc" }, "github_token"],
  ["a token that would inject", { github_token: "ghp_a\nb: c" }, "github_token"],
  ["no login at all", { github_token: undefined }, "github_token"],
  ["an org that would inject", { org: "a\nb" }, "org"],
  ["a cluster that there is not", { cluster_id: "nowhere" }, "nowhere"],
  ["a key that nobody knows", { owner: "root" }, "owner"],
])("%s is refused with the name of the field", async (_what, change, field) => {
  const { status, body } = await scene.as("ada", "POST", "/api/saas/nests", { ...aNest, ...change });
  expect(status, JSON.stringify(body)).toBe(400);
  expect(JSON.stringify(body)).toContain(field);
  expect(JSON.stringify(body)).not.toMatch(/gho_abc|ghp_a/);
});

test("My Nests lists a nest for its owner, for who has a role on it, and for the hub admin, and for nobody else", async () => {
  const id = await scene.create("ada");
  const seen = async (login: string) =>
    ((await scene.as(login, "GET", "/api/saas/my-nests")).body as { nests: nests.NestRow[] }).nests.map((nest) => [
      nest.id,
      nest.role,
    ]);
  expect([await seen("ada"), await seen("bob"), await seen("root")]).toEqual([[[id, "owner"]], [], [[id, undefined]]]);
  await scene.as("ada", "POST", `/api/saas/nests/${id}/access`, { username: "bob", role: "read" });
  expect(await seen("bob")).toEqual([[id, "read"]]);
});

test("a record written by hand takes effect with no restart", async () => {
  const id = await scene.create("ada");
  const file = join(scene.hub.folder, "saas/nests", id, "meta.json");
  const record = JSON.parse(await readFile(file, "utf8"));
  await writeFile(file, JSON.stringify({ ...record, owner: "bob", status: "available" }));
  expect((await scene.as("bob", "GET", `/api/saas/nests/${id}`)).body).toMatchObject({ status: "available" });
  expect((await scene.as("ada", "GET", `/api/saas/nests/${id}`)).body).toMatchObject({ error: "nest not found" });
});

test("whoever has no role sees no nest, and changes none; a reader reads and changes none", async () => {
  const id = await scene.create("ada");
  const doors = [
    ["GET", ""],
    ["GET", "/status"],
    ["GET", "/events"],
    ["GET", "/manifests"],
    ["GET", "/access"],
    ["POST", "/pause"],
    ["POST", "/upgrade"],
    ["POST", "/retry"],
    ["DELETE", ""],
    ["PUT", "/visibility", { is_public: false }],
    ["PUT", "/name", { project_name: "mine" }],
    ["PUT", "/auto-upgrade", { auto_upgrade: true }],
    ["POST", "/access", { username: "bob", role: "owner" }],
    ["DELETE", "/access/ada"],
  ] as const;
  for (const [method, end, body] of doors) {
    const { status } = await scene.as("bob", method, `/api/saas/nests/${id}${end}`, body);
    expect([method, end, status]).toEqual([method, end, 404]);
    expect((await scene.hub.call(method, `/api/saas/nests/${id}${end}`, body)).status).toBe(401);
  }
  await scene.as("ada", "POST", `/api/saas/nests/${id}/access`, { username: "bob", role: "merger" });
  for (const [method, end, body] of doors.slice(3)) {
    const { status } = await scene.as("bob", method, `/api/saas/nests/${id}${end}`, body);
    expect([method, end, status]).toEqual([method, end, 403]);
  }
});

test("opening a nest tells nobody without a role whether there is one", async () => {
  const id = await scene.create("ada");
  const open = (nest: string) =>
    fetch(`${scene.hub.url}/api/saas/nests/${nest}/open`, {
      headers: { cookie: "nest_hub_user=bob" },
      redirect: "manual",
    });
  const doors = [];
  for (const nest of [id, "hosted-acme-none-ab12"]) {
    const { status, headers } = await open(nest);
    doors.push([status, headers.get("location")?.replace(nest, "ID")]);
  }
  expect(doors).toEqual([
    [302, "/my-nests/ID/no-access"],
    [302, "/my-nests/ID/no-access"],
  ]);
});

test("nobody gives a role at or above their own; only an admin makes a second owner; the last owner stays", async () => {
  const id = await scene.create("ada");
  const give = async (login: string, username: string, role: string) =>
    (await scene.as(login, "POST", `/api/saas/nests/${id}/access`, { username, role })).status;
  expect(await give("ada", "bob", "owner")).toBe(403);
  expect(await give("root", "bob", "owner")).toBe(200);
  expect((await scene.as("bob", "DELETE", `/api/saas/nests/${id}/access/ada`)).status).toBe(403);
  expect((await scene.as("root", "DELETE", `/api/saas/nests/${id}/access/ada`)).status).toBe(200);
  expect((await scene.as("root", "DELETE", `/api/saas/nests/${id}/access/bob`)).body).toMatchObject({
    code: "last_owner",
  });
  expect((await scene.as("bob", "GET", `/api/saas/nests/${id}`)).body).toMatchObject({ owner: "bob" });
});

test("a quota is stated when it is reached, also by two requests at once", async () => {
  await scene.user("ada", { saas_quota: 1 });
  const both = await Promise.all([1, 2].map(() => scene.as("ada", "POST", "/api/saas/nests", aNest)));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect(both.find(({ status }) => status === 400)?.body).toMatchObject({ code: "quota_reached" });
});

test("pausing scales to 0 and keeps the data; resuming brings it back", async () => {
  const id = await scene.create("ada");
  expect((await scene.as("ada", "POST", `/api/saas/nests/${id}/pause`)).status).toBe(200);
  await scene.stands(id, "paused");
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", name: "nest", namespace: namespaceOf(id) };
  expect(await scene.cluster.read(deployment, signal)).toMatchObject({ spec: { replicas: 0 } });
  await scene.as("ada", "POST", `/api/saas/nests/${id}/resume`);
  await scene.stands(id, "running");
});

test("a deleted nest is gone everywhere, and a late heartbeat does not bring it back", async () => {
  const id = await scene.create("ada");
  const beat = () =>
    scene.hub.call(
      "POST",
      "/api/heartbeat",
      { nest_id: id, is_public: true },
      { authorization: `Bearer ${HEARTBEAT_SECRET}` },
    );
  expect((await beat()).status).toBe(200);
  expect((await scene.as("ada", "DELETE", `/api/saas/nests/${id}?confirm=something-else`)).status).toBe(400);
  expect((await scene.as("ada", "DELETE", `/api/saas/nests/${id}?confirm=${id}`)).body).toMatchObject({ id });
  await expect
    .poll(async () => {
      await scene.hub.clock.advance(1000);
      return (await scene.hub.admin("GET", `/api/saas/nests/${id}`)).status;
    })
    .toBe(404);
  expect((await beat()).body).toMatchObject({ code: "nest_gone" });
  expect(((await scene.hub.call("GET", "/api/registry")).body as { nests: object[] }).nests).toEqual([]);
});

test("who sees a nest is switched on the hub, whatever its heartbeats say", async () => {
  const id = await scene.create("ada");
  const beat = (is_public: boolean) =>
    scene.hub.call(
      "POST",
      "/api/heartbeat",
      { nest_id: id, is_public },
      { authorization: `Bearer ${HEARTBEAT_SECRET}` },
    );
  const listed = async () => ((await scene.hub.call("GET", "/api/registry")).body as { nests: object[] }).nests.length;
  await beat(true);
  expect(await listed()).toBe(1);
  await scene.as("ada", "PUT", `/api/saas/nests/${id}/visibility`, { is_public: false });
  expect(await listed()).toBe(0);
  await beat(true);
  expect(await listed()).toBe(0);
});

test("a nest that is made by hand stays provisioning until it is heard of, and runs from then on", async () => {
  await scene.hub.admin("POST", "/api/saas/clusters", { id: "far", pull_only: true, domain: "far.example.org" });
  const { body } = await scene.as("ada", "POST", "/api/saas/nests", { ...aNest, cluster_id: "far" });
  const { id, manual_steps } = body as { id: string; manual_steps: string };
  expect(manual_steps).toContain(`/api/saas/nests/${id}/manifests`);
  expect((await scene.as("ada", "GET", `/api/saas/nests/${id}`)).body).toMatchObject({ status: "provisioning" });
  const beat = { nest_id: id, is_public: true };
  await scene.hub.call("POST", "/api/heartbeat", beat, { authorization: `Bearer ${HEARTBEAT_SECRET}` });
  await expect
    .poll(async () => (await scene.as("ada", "GET", `/api/saas/nests/${id}`)).body)
    .toMatchObject({ status: "running", online: true });
});

test("every change of a nest is in the audit, with who made it", async () => {
  const id = await scene.create("ada");
  await scene.as("ada", "PUT", `/api/saas/nests/${id}/name`, { project_name: "Other" });
  await scene.as("ada", "POST", `/api/saas/nests/${id}/access`, { username: "bob", role: "read" });
  const { body } = await scene.hub.admin("GET", "/api/audit");
  const lines = (body as { audit: { actor: string; action: string; subject: string }[] }).audit;
  const own = lines.filter(({ subject }) => subject === id).map(({ actor, action }) => `${actor}: ${action}`);
  expect(own.sort()).toEqual(["ada: nest access", "ada: nest created", "ada: nest renamed"]);
  expect(JSON.stringify(lines)).not.toContain("ghp_");
});

test("a pool of placeholders is filled, one is claimed for its owner, and the pool is filled again", async () => {
  const pool = { id: "pool", in_cluster: true, domain: "pool.example.org", placeholders: { min: 1, target: 2 } };
  expect((await scene.hub.admin("POST", "/api/saas/clusters", pool)).status).toBe(200);
  const available = async () => {
    await scene.hub.clock.advance(60_000);
    const { body } = await scene.hub.admin("GET", "/api/saas/my-nests?status=available&limit=200");
    return (body as { nests: nests.NestRow[] }).nests.map(({ id }) => id);
  };
  await expect.poll(async () => (await available()).length, { timeout: 20_000 }).toBe(2);
  const [id = ""] = await available();
  const claim = { ...aNest, owner: "bob" };
  expect((await scene.as("ada", "POST", `/api/saas/nests/${id}/claim`, claim)).status).toBe(403);
  expect((await scene.hub.admin("POST", `/api/saas/nests/${id}/claim`, claim)).status).toBe(200);
  await scene.stands(id, "running");
  expect((await scene.as("bob", "GET", `/api/saas/nests/${id}`)).body).toMatchObject({ owner: "bob", role: "owner" });
  expect((await scene.hub.admin("POST", `/api/saas/nests/${id}/claim`, claim)).status).toBe(409);
  await scene.hub.admin("DELETE", `/api/saas/nests/${(await available())[0]}`);
  await expect.poll(async () => (await available()).length, { timeout: 20_000 }).toBe(2);
});

test("one switch stops upgrades of all nests", async () => {
  expect((await scene.hub.admin("GET", "/api/saas/upgrade-pause")).body).toEqual({ paused: false });
  expect((await scene.as("ada", "POST", "/api/saas/upgrade-pause", { paused: true })).status).toBe(403);
  await scene.hub.admin("POST", "/api/saas/upgrade-pause", { paused: true });
  expect((await scene.hub.admin("GET", "/api/saas/upgrade-pause")).body).toMatchObject({
    paused: true,
    by: "admin-token",
  });
});

test("every route of hosted nests that is described is served", async () => {
  const { body } = await scene.hub.call("GET", "/api/openapi.json");
  const paths = Object.keys((body as { paths: object }).paths);
  for (const { path } of Object.values(described).filter((one) => typeof one === "object" && "path" in one))
    expect(paths).toContain(path.replace(/:(\w+)/g, "{$1}"));
});
