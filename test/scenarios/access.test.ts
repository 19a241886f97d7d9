import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { Secret } from "@nest/kit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ADMIN_TOKEN, TestHub } from "../harness/hub.ts";
import { newDatabase, onPostgres } from "../harness/test-engine.ts";

/** A fake of the code host's sign-in, with answers that a test chooses. */
let signInHost: Server;
let webUrl = "";
let answer: object = {};

beforeAll(async () => {
  signInHost = createServer((request, response) => {
    request.resume();
    const device = request.url === "/login/device/code";
    const code = { device_code: "d-1", user_code: "ABCD-1234", verification_uri: `${webUrl}/device`, interval: 1 };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(device ? { ...code, expires_in: 900 } : answer));
  });
  await new Promise<void>((resolve) => signInHost.listen(0, "127.0.0.1", resolve));
  webUrl = `http://127.0.0.1:${(signInHost.address() as AddressInfo).port}`;
});
afterAll(() => signInHost.close());

async function start(config: object = {}): Promise<TestHub> {
  const oauth = { clientId: "client", clientSecret: new Secret("client-secret") };
  const hub = await TestHub.start({ config: { webUrl, oauth, admins: ["Boss"], ...config } });
  hub.codeHost.users.set("token-of-boss", "boss");
  hub.codeHost.users.set("token-of-carol", "carol");
  return hub;
}

/** Signs in by device flow and answers with the Cookie header to send. */
async function signIn(hub: TestHub, login: string): Promise<string> {
  answer = { access_token: `token-of-${login}` };
  const begun = (await hub.call("POST", "/api/auth/device/start")).body as { login_id: string };
  const done = await hub.call("POST", "/api/auth/device/poll", { login_id: begun.login_id });
  expect(done.body).toMatchObject({ status: "complete", login });
  return cookies(done.headers);
}

function cookies(headers: Headers): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

const CONFIG = "/api/config/governor/hub";

test("sign-in by device flow: a code to show, pending until it was typed, then a session of 7 days", async () => {
  await using hub = await start();
  const begun = (await hub.call("POST", "/api/auth/device/start")).body as { login_id: string };
  expect(begun).toMatchObject({ user_code: "ABCD-1234", verification_uri: `${webUrl}/device`, interval: 1 });
  answer = { error: "authorization_pending" };
  const poll = () => hub.call("POST", "/api/auth/device/poll", { login_id: begun.login_id });
  expect((await poll()).body).toEqual({ status: "pending" });
  answer = { error: "slow_down", interval: 10 };
  expect((await poll()).body).toEqual({ status: "pending", interval: 10 });
  answer = { error: "access_denied" };
  expect((await poll()).body).toEqual({ status: "denied" });
  const cookie = await signIn(hub, "boss");
  const who = async () => (await hub.call("GET", "/api/auth/user", undefined, { cookie })).body;
  expect(await who()).toMatchObject({ authenticated: true, login: "boss", hub_admin: true });
  await hub.clock.jump(7 * 24 * 3_600_000 - 10_000);
  expect(await who()).toMatchObject({ authenticated: true });
  await hub.clock.jump(10_000);
  expect(await who()).toMatchObject({ authenticated: false, hub_admin: false });
});

test("an unknown device code is refused, and an expired one is reported as expired", async () => {
  await using hub = await start();
  const forged = await hub.call("POST", "/api/auth/device/poll", { login_id: "e30.AAAA" });
  expect(forged).toMatchObject({ status: 400, body: { error: expect.stringContaining("login_id") } });
  const begun = (await hub.call("POST", "/api/auth/device/start")).body as { login_id: string };
  await hub.clock.jump(900_000);
  const late = await hub.call("POST", "/api/auth/device/poll", { login_id: begun.login_id });
  expect(late.body).toEqual({ status: "expired" });
});

test("web sign-in: to the code host with a state, back with it and a nonce cookie, to where one wanted to go", async () => {
  await using hub = await start();
  const there = await fetch(`${hub.url}/login?redirect=/operations`, { redirect: "manual" });
  const address = new URL(there.headers.get("location") ?? "");
  expect(address.origin + address.pathname).toBe(`${webUrl}/login/oauth/authorize`);
  expect(address.searchParams.get("redirect_uri")).toBe(`${hub.url}/api/auth/callback`);
  answer = { access_token: "token-of-carol" };
  const state = encodeURIComponent(address.searchParams.get("state") ?? "");
  const back = (query: string, cookie: string) =>
    fetch(`${hub.url}/api/auth/callback?${query}`, { redirect: "manual", headers: { cookie } });
  const nonce = cookies(there.headers);
  expect((await back(`code=c&state=${state}`, "")).status).toBe(400);
  expect((await back("code=c&state=e30.AAAA", nonce)).status).toBe(400);
  expect((await back(`state=${state}`, nonce)).status).toBe(400);
  const home = await back(`code=c&state=${state}`, nonce);
  expect([home.status, home.headers.get("location")]).toEqual([302, "/operations"]);
  const who = await hub.call("GET", "/api/auth/user", undefined, { cookie: cookies(home.headers) });
  expect(who.body).toMatchObject({ authenticated: true, login: "carol", hub_admin: false });
  await hub.clock.jump(600_000);
  expect((await back(`code=c&state=${state}`, nonce)).status).toBe(400);
});

test.each(["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/a\nb", ""])(
  "after the sign-in nobody is sent elsewhere: %j",
  async (redirect) => {
    await using hub = await start();
    const there = await fetch(`${hub.url}/login?redirect=${encodeURIComponent(redirect)}`, { redirect: "manual" });
    const state = new URL(there.headers.get("location") ?? "").searchParams.get("state") ?? "";
    answer = { access_token: "token-of-carol" };
    const home = await fetch(`${hub.url}/api/auth/callback?code=c&state=${encodeURIComponent(state)}`, {
      redirect: "manual",
      headers: { cookie: cookies(there.headers) },
    });
    expect(home.headers.get("location")).toBe("/");
  },
);

test("a configured hub admin may do from the hub's own pages what the admin token may do; nobody else may", async () => {
  await using hub = await start();
  const boss = await signIn(hub, "boss");
  const carol = await signIn(hub, "carol");
  const put = (cookie: string, headers: Record<string, string> = {}) =>
    hub.call("PUT", CONFIG, { contribute_suspended: true }, { cookie, ...headers });
  expect((await put(boss, { origin: hub.url })).status).toBe(200);
  expect((await put(carol, { origin: hub.url })).status).toBe(403);
  expect(await put(boss)).toMatchObject({ status: 403, body: { code: "foreign_origin" } });
  expect((await put(boss, { origin: "https://evil.example" })).status).toBe(403);
  expect((await put(boss, { origin: "null" })).status).toBe(403);
  expect((await hub.call("GET", CONFIG, undefined, { cookie: boss })).status).toBe(200);
  expect((await hub.call("GET", CONFIG, undefined, { cookie: carol })).status).toBe(403);
  const { audit } = (await hub.admin("GET", "/api/audit")).body as { audit: { actor: string }[] };
  expect(audit[0]?.actor).toBe("boss");
});

test("nest_hub_user must come with a signed session of the same login, unless plain cookies are on", async () => {
  await using hub = await start();
  const boss = await signIn(hub, "boss");
  const carol = await signIn(hub, "carol");
  const session = (cookie: string) => cookie.split("; ").find((part) => part.startsWith("nest_hub_session=")) ?? "";
  const signedIn = async (cookie: string) =>
    ((await hub.call("GET", "/api/auth/user", undefined, { cookie })).body as { authenticated: boolean }).authenticated;
  expect(await signedIn("nest_hub_user=boss")).toBe(false);
  expect(await signedIn(`nest_hub_user=boss; ${session(carol)}`)).toBe(false);
  expect(await signedIn(session(boss))).toBe(false);
  expect(await signedIn(`nest_hub_user=boss; ${session(boss)}x`)).toBe(false);
  expect(await signedIn(`nest_hub_user=BOSS; ${session(boss)}`)).toBe(true);
});

test("with plain cookies nest_hub_user alone authenticates whoever is in the user store", async () => {
  await using hub = await start({ plainUserCookie: true });
  await mkdir(join(hub.folder, "saas", "users"), { recursive: true });
  await writeFile(join(hub.folder, "saas", "users", "boss.json"), JSON.stringify({ github_username: "boss", note: 1 }));
  const as = (login: string, headers = {}) =>
    hub.call("PUT", CONFIG, { contribute_suspended: true }, { cookie: `nest_hub_user=${login}`, ...headers });
  expect((await as("boss")).status).toBe(200);
  expect((await as("boss", { origin: "https://evil.example" })).status).toBe(403);
  expect((await as("nobody")).status).toBe(401);
  expect((await as("../users/boss")).status).toBe(401);
  expect((await as("%2e%2e%2fboss")).status).toBe(401);
});

test("signing out ends the session for good, and a user who is blocked is out at once", async () => {
  await using hub = await start();
  const first = await signIn(hub, "carol");
  const second = await signIn(hub, "carol");
  const signedIn = async (cookie: string) =>
    ((await hub.call("GET", "/api/auth/user", undefined, { cookie })).body as { authenticated: boolean }).authenticated;
  expect((await hub.call("POST", "/api/auth/logout", {}, { cookie: first })).status).toBe(403);
  const out = await hub.call("POST", "/api/auth/logout", {}, { cookie: first, origin: hub.url });
  expect(out.headers.getSetCookie().every((cookie) => cookie.includes("Max-Age=0"))).toBe(true);
  expect([await signedIn(first), await signedIn(second)]).toEqual([false, true]);
  const file = join(hub.folder, "saas", "users", "carol.json");
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), blocked: true }));
  expect(await signedIn(second)).toBe(false);
});

test("users are files of their login, keys and files readable by nobody else, sessions outlive a restart", async () => {
  await using hub = await start();
  const cookie = await signIn(hub, "carol");
  expect(await readdir(join(hub.folder, "saas", "users"))).toEqual(["carol.json"]);
  const modes = await Promise.all(
    ["users/carol.json", "hmac.key"].map(async (name) => (await stat(join(hub.folder, "saas", name))).mode & 0o777),
  );
  expect(modes).toEqual([0o600, 0o600]);
  expect((await readFile(join(hub.folder, "saas", "hmac.key"))).length).toBe(32);
  await hub.restart();
  expect((await hub.call("GET", "/api/auth/user", undefined, { cookie })).body).toMatchObject({ authenticated: true });
});

test("a sign-in here proves a login for registration", async () => {
  await using hub = await start();
  await hub.admin("PUT", CONFIG, { open_registration: false });
  const cookie = await signIn(hub, "carol");
  const register = (login: string) =>
    hub.call("POST", "/api/contribute/register", { github_username: login }, { cookie, origin: hub.url });
  expect((await register("boss")).status).toBe(401);
  expect((await register("carol")).body).toMatchObject({ registration_token: expect.stringMatching(/^[0-9a-f]{64}$/) });
  const limits = await hub.call("GET", "/api/contribute/limits", undefined, { cookie });
  expect(limits.body).toMatchObject({ you: { username: "carol", tier: "newcomer" } });
});

test("cookies are for this site only, closed to scripts, and over https they stay there", async () => {
  await using hub = await start();
  answer = { access_token: "token-of-carol" };
  const begun = (await hub.call("POST", "/api/auth/device/start")).body as { login_id: string };
  const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "hub.example" };
  const done = await hub.call("POST", "/api/auth/device/poll", { login_id: begun.login_id }, forwarded);
  for (const cookie of done.headers.getSetCookie()) {
    expect(cookie).toMatch(/; HttpOnly; SameSite=Lax; Secure$/);
    expect(cookie).toContain("Max-Age=604800");
  }
});

test("a hub without a client id says so, on the page and in words", async () => {
  await using hub = await start({ oauth: undefined });
  const page = await hub.call("GET", "/login");
  expect(page.body).toContain("github.oauth_client_id");
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect((await hub.call("POST", "/api/auth/device/start")).status).toBe(404);
});

test("the heartbeat's 401 is plain text, whatever the body; the right secret is taken", async () => {
  await using hub = await start();
  for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: `Bearer ${ADMIN_TOKEN}` }]) {
    const refused = await hub.call("POST", "/api/heartbeat", "{", headers);
    expect([refused.status, refused.body]).toEqual([401, "unauthorized"]);
    expect(refused.headers.get("content-type")).toContain("text/plain");
  }
  const beat = await hub.call(
    "POST",
    "/api/heartbeat",
    { nest_id: "n-1", is_public: true },
    { authorization: "Bearer heartbeat-secret-of-the-tests" },
  );
  expect(beat.body).toEqual({ ok: true });
  expect((await hub.call("GET", "/api/hub/stats")).body).toMatchObject({ nests: 1, online: 1, repositories: 1 });
});

test("the API description lists every route with who may call it, and other methods get 405 with Allow", async () => {
  await using hub = await start();
  interface Description {
    paths: Record<string, Record<string, { "x-access": string; responses: Record<string, { content?: object }> }>>;
  }
  const { paths } = (await hub.call("GET", "/api/openapi.json")).body as Description;
  const wanted = [
    ["/api/heartbeat", "post", "spoke"],
    ["/api/registry", "get", "anyone"],
    ["/metrics", "get", "anyone"],
    ["/api/hub/stats", "get", "anyone"],
    [CONFIG, "put", "admin"],
    ["/api/github/webhook", "post", "code-host"],
    ["/api/leaderboard/style", "get", "anyone"],
    ["/api/contributors/{id}/agent-role", "put", "admin"],
    ["/contribute", "get", "anyone"],
  ] as const;
  for (const [path, method, access] of wanted) expect(paths[path]?.[method]?.["x-access"], path).toBe(access);
  expect(Object.keys(paths["/metrics"]?.get?.responses["200"]?.content ?? {})).toEqual(["text/plain"]);
  const wrong = await hub.call("DELETE", CONFIG);
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD, PUT"]);
});

test("every list pages: a page of the size asked for, next_cursor until the last, 400 for a cursor that is none", async () => {
  await using hub = await start();
  for (const id of ["one", "two", "three"])
    await hub.call(
      "POST",
      "/api/heartbeat",
      { nest_id: id, is_public: true },
      { authorization: "Bearer heartbeat-secret-of-the-tests" },
    );
  for (const login of ["ada", "bob", "cleo"]) await (await hub.relay(login)).ready();
  const lists = {
    "/api/registry": "nests",
    "/api/contribute/fleet": "clankers",
    "/api/contribute/queue": "queue",
    "/api/contribute/activity": "activity",
    "/api/contributors": "contributors",
  };
  for (const [path, list] of Object.entries(lists)) {
    const page = async (query: string) => (await hub.admin("GET", path + query)).body as Record<string, unknown>;
    const [first, all] = [await page("?limit=1"), await page("")];
    const { [list]: rows, next_cursor: cursor } = first;
    const second = await page(`?limit=500&cursor=${cursor}`);
    expect([...(rows as object[]), ...(second[list] as object[])], path).toEqual(all[list]);
    expect(rows, path).toHaveLength(1);
    expect(second, path).not.toHaveProperty("next_cursor");
    const wrong = await hub.admin("GET", `${path}?cursor=nonsense`);
    expect([wrong.status, wrong.body], path).toEqual([
      400,
      { code: "bad_request", error: "cursor: not a cursor that this list gave out" },
    ]);
  }
});

test.each([
  [
    "an address that cannot be decoded",
    "GET /api/contributors/%zz HTTP/1.1\r\nHost: localhost\r\n",
    400,
    "bad_request",
  ],
  ["what is no HTTP", "GARBAGE\r\n", 400, "bad_request"],
  [
    "headers beyond measure",
    `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(20_000)}\r\n`,
    431,
    "headers_too_large",
  ],
  [
    "a body that is no JSON",
    "POST /api/contribute/register HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n",
    415,
    "unsupported_media_type",
  ],
])("errors are JSON from every layer: %s", async (_what, head, status, code) => {
  await using hub = await start();
  const socket = connect(Number(new URL(hub.url).port), "127.0.0.1");
  socket.write(`${head}${head.startsWith("POST") ? "Connection: close\r\n\r\nx" : "\r\n"}`);
  let answer = "";
  for await (const chunk of socket) {
    answer += String(chunk);
    if (answer.includes("}")) break;
  }
  const [, told = "", body = "{}"] = /^HTTP\/1\.1 (\d+) [\s\S]*?(\{.*\})/.exec(answer) ?? [];
  expect([Number(told), JSON.parse(body)]).toEqual([status, expect.objectContaining({ code })]);
});

test.skipIf(onPostgres)("the database is readable by nobody else, wherever the data directory lies", async () => {
  await using hub = await start();
  for (const name of ["hub.sqlite", "hub.sqlite-wal", ".hub.lock"])
    expect((await stat(join(hub.folder, name))).mode & 0o777, name).toBe(0o600);
});

test("every admin route answers strangers with 401 and people who are not admins with 403, before it reads the body", async () => {
  await using hub = await start();
  const { registration_token: token } = await hub.register("alice");
  interface Description {
    paths: Record<string, Record<string, { "x-access": string }>>;
  }
  const { paths } = (await hub.call("GET", "/api/openapi.json")).body as Description;
  let checked = 0;
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, described] of Object.entries(methods)) {
      if (described["x-access"] !== "admin") continue;
      checked += 1;
      const address = path.replace("{id}", "alice");
      const body = method === "get" ? undefined : "{ not json";
      expect((await hub.call(method.toUpperCase(), address, body)).status, address).toBe(401);
      const known = await hub.call(method.toUpperCase(), address, body, { authorization: `Bearer ${token}` });
      expect(known.status, address).toBe(403);
    }
  }
  expect(checked).toBeGreaterThan(12);
});

test.runIf(onPostgres)(
  "a session begun at one replica is valid at every other, and signing out ends it at all of them",
  async () => {
    const databaseUrl = await newDatabase();
    await using one = await start({ databaseUrl });
    await using other = await start({ databaseUrl });
    const cookie = await signIn(one, "boss");
    const who = async (hub: TestHub) => {
      await hub.hub.batcher.sync();
      return (await hub.call("GET", "/api/auth/user", undefined, { cookie })).body;
    };
    for (const hub of [one, other]) expect(await who(hub)).toMatchObject({ login: "boss", hub_admin: true });
    const out = await other.call("POST", "/api/auth/logout", {}, { cookie, origin: other.url });
    expect(out.status).toBe(200);
    for (const hub of [one, other]) expect(await who(hub)).toMatchObject({ authenticated: false, hub_admin: false });
  },
);

test.runIf(onPostgres)(
  "an API token made at one replica is one of every other, and revoked it is none of any",
  async () => {
    const databaseUrl = await newDatabase();
    await using one = await start({ databaseUrl });
    await using other = await start({ databaseUrl });
    const boss = { cookie: await signIn(one, "boss"), origin: one.url };
    const made = await one.call("POST", "/api/tokens", { name: "nightly", scope: "read" }, boss);
    const { token, about } = made.body as { token: string; about: { id: string } };
    const status = async (hub: TestHub) => {
      await hub.hub.batcher.sync();
      return (await hub.call("GET", "/api/audit", undefined, { authorization: `Bearer ${token}` })).status;
    };
    expect([await status(one), await status(other)]).toEqual([200, 200]);
    await other.call("DELETE", `/api/tokens/${about.id}`, undefined, { ...boss, origin: other.url });
    expect([await status(one), await status(other)]).toEqual([401, 401]);
  },
);
