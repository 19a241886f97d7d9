import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { ADMIN_TOKEN } from "../harness/hub.ts";
import { SignedInHub } from "../harness/signed-in-hub.ts";

const HOLD = { key: "acme/one#1", held: true, reason: "later" };
const CONFIG = "/api/config/governor/hub";
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

interface Described {
  readonly paths: Record<string, Record<string, { "x-access": string; "x-scope"?: string }>>;
}

/** Every route of a hub, with a value in place of each part that varies. */
async function routesOf(scene: SignedInHub) {
  const { paths } = (await scene.hub.call("GET", "/api/openapi.json")).body as Described;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, about]) => ({
      method: method.toUpperCase(),
      path: path.replace(/\{[a-z_]+\}/gi, "nobody"),
      access: about["x-access"],
      scope: about["x-scope"],
    })),
  );
}

describe("somebody who has an API token", () => {
  test("of the scope read cannot operate, and of the scope operate cannot configure; each does what its scope says", async () => {
    await using scene = await SignedInHub.start();
    const [read, operate, configure] = [
      (await scene.token("read")).token,
      (await scene.token("operate")).token,
      (await scene.token("configure")).token,
    ];
    const status = async (token: string) => [
      (await scene.with(token, "GET", "/api/audit")).status,
      (await scene.with(token, "POST", "/api/contribute/queue/hold", HOLD)).status,
      (await scene.with(token, "PUT", CONFIG, { contribute_suspended: true })).status,
    ];
    expect(await status(read)).toEqual([200, 403, 403]);
    expect(scene.hub.withheld(1)).toBeUndefined();
    expect(await status(operate)).toEqual([200, 200, 403]);
    expect(await status(configure)).toEqual([200, 200, 200]);
    expect((await scene.with(read, "PUT", CONFIG, {})).body).toEqual({
      error: "this needs an API token of the scope configure, this one has read",
      code: "forbidden",
      hint: "an admin makes another one at /tokens",
    });
  });

  test("of no scope decides where an alert's secret goes", async () => {
    await using scene = await SignedInHub.start();
    const channel = {
      kind: "ntfy",
      url: "https://evil.example/x",
      events: ["queue_empty"],
      secret: ["$", "{NEST_ALERT_KEY}"].join(""),
    };
    for (const scope of ["read", "operate", "configure"] as const) {
      const { token } = await scene.token(scope);
      expect((await scene.with(token, "PUT", "/api/alerts/channels/mine", channel)).status).toBe(403);
    }
  });

  test("of the scope read is refused every route that needs more, and every route that is for people", async () => {
    await using scene = await SignedInHub.start();
    const { token } = await scene.token("read");
    const routes = await routesOf(scene);
    const closed = routes.filter(
      ({ scope, access }) => scope !== "read" && !["code-host", "ingress", "spoke"].includes(access),
    );
    expect(closed.length).toBeGreaterThan(40);
    for (const { method, path } of closed) {
      const { status, body } = await scene.with(token, method, path, method === "GET" ? undefined : {});
      expect([method, path, status, (body as { code: string }).code]).toEqual([method, path, 403, "forbidden"]);
    }
  });

  test("no route for admins is without a scope, and none is open to tokens by oversight", async () => {
    await using scene = await SignedInHub.start();
    const routes = await routesOf(scene);
    expect(routes.filter(({ access, scope }) => access === "admin" && scope === undefined)).toEqual([]);
    const written = routes.filter(({ method, scope }) => method !== "GET" && scope === "read");
    // These only ask: nothing is changed by them.
    expect(written.map(({ path }) => path).sort()).toEqual([
      "/api/config/governor/impact",
      "/api/config/governor/preview",
      "/api/saas/nests/nobody/compare",
    ]);
  });

  test("makes no other token with it, nor sees or revokes any, whatever its scope; nor does the hub's own admin token make one", async () => {
    await using scene = await SignedInHub.start();
    const { token, about } = await scene.token("configure");
    const draft = { name: "child", scope: "read" };
    expect((await scene.with(token, "POST", "/api/tokens", draft)).status).toBe(403);
    expect((await scene.with(token, "GET", "/api/tokens")).status).toBe(403);
    expect((await scene.with(token, "DELETE", `/api/tokens/${about.id}`)).status).toBe(403);
    expect((await scene.with(ADMIN_TOKEN, "POST", "/api/tokens", draft)).status).toBe(403);
    expect((await scene.with(token, "POST", "/api/contribute/register", { github_username: "eve" })).status).toBe(403);
    expect((await scene.with(token, "POST", "/api/contribute/reissue-token", {})).status).toBe(403);
  });

  test("in a cookie or in the address has nothing, and is told to revoke what was written into an address", async () => {
    await using scene = await SignedInHub.start();
    const { token } = await scene.token("configure");
    for (const name of ["nest_hub_session", "nest_hub_user", "token", "authorization"])
      expect((await scene.hub.call("GET", "/api/audit", undefined, { cookie: `${name}=${token}` })).status).toBe(401);
    for (const path of [`/api/audit?token=${token}`, `/api/contribute/status?access_token=${token}`, `/tasks/${token}`])
      expect(await scene.hub.call("GET", path)).toMatchObject({
        status: 400,
        body: { error: "an API token does not belong in an address", hint: expect.stringContaining("revoke this one") },
      });
  });

  test("from a page of another site has nothing, because a browser would send it along", async () => {
    await using scene = await SignedInHub.start();
    const { token } = await scene.token("operate");
    const headers = { authorization: `Bearer ${token}`, origin: "https://evil.example" };
    expect(await scene.hub.call("POST", "/api/contribute/queue/hold", HOLD, headers)).toMatchObject({
      status: 403,
      body: { code: "foreign_origin" },
    });
  });

  test("loses its power when its maker is no longer an admin, and when another account has the maker's login", async () => {
    await using scene = await SignedInHub.start();
    const { token } = await scene.token("read");
    const status = async () => (await scene.with(token, "GET", "/api/audit")).status;
    expect(await status()).toBe(200);
    await scene.hub.restartWith({ admins: ["carol"] });
    expect(await scene.with(token, "GET", "/api/audit")).toMatchObject({
      status: 401,
      body: { error: expect.stringContaining("no longer an admin") },
    });
    const carol = { cookie: await scene.cookieOf("carol") };
    const listed = (await scene.hub.call("GET", "/api/tokens", undefined, carol)).body;
    expect(listed).toMatchObject({ tokens: [{ name: "read token", made_by: "boss", state: "powerless" }] });
    await scene.hub.restartWith({ admins: ["boss"] });
    expect(await status()).toBe(200);
    scene.hub.codeHost.rename("boss", "former-boss");
    await scene.cookieOf("boss");
    expect(await status()).toBe(401);
  });

  test("that was revoked has nothing from that moment on, and a stream that it opened ends", async () => {
    await using scene = await SignedInHub.start();
    const { token, about } = await scene.token("read");
    const open = await fetch(`${scene.hub.url}/api/contribute/events`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect((await scene.boss("DELETE", `/api/tokens/${about.id}`)).status).toBe(200);
    expect((await scene.with(token, "GET", "/api/audit")).status).toBe(401);
    await expect(open.text()).resolves.toContain("event: hello");
    expect((await scene.boss("DELETE", `/api/tokens/${about.id}`)).status).toBe(404);
  });

  test("that has come to its end has nothing: after ninety days where nobody said otherwise", async () => {
    await using scene = await SignedInHub.start();
    const { token, about } = await scene.token("read");
    expect(Date.parse(about.ends_at ?? "") - Date.parse(about.made_at)).toBe(90 * DAY_MS);
    await scene.hub.clock.jump(90 * DAY_MS - 1000);
    expect((await scene.with(token, "GET", "/api/audit")).status).toBe(200);
    await scene.hub.clock.jump(1000);
    expect((await scene.with(token, "GET", "/api/audit")).status).toBe(401);
  });

  test("a token lives a year at most, and without end only where that was said", async () => {
    await using scene = await SignedInHub.start();
    const make = (more: object) => scene.boss("POST", "/api/tokens", { name: "one", scope: "read", ...more });
    expect((await make({ days: 366 })).status).toBe(400);
    expect((await make({ days: 10, never_ends: true })).status).toBe(400);
    expect((await make({ never_ends: false })).status).toBe(400);
    const { about } = await scene.token("read", { never_ends: true });
    expect(about.ends_at).toBeUndefined();
  });
});

describe("somebody who tries tokens", () => {
  test("waits after a hundred wrong ones a minute, also where anyone may ask; a right one is taken meanwhile", async () => {
    await using scene = await SignedInHub.start();
    const { token } = await scene.token("read");
    const wrong = `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`;
    const seen: number[] = [];
    for (let nth = 0; nth < 101; nth += 1) seen.push((await scene.with(wrong, "GET", "/api/contribute/status")).status);
    expect([...new Set(seen)]).toEqual([401, 429]);
    expect((await scene.with(token, "GET", "/api/audit")).status).toBe(200);
    await scene.hub.clock.jump(MINUTE_MS);
    expect((await scene.with(wrong, "GET", "/api/audit")).status).toBe(401);
  });

  test.each(["nest_api_", "nest_api___proto__", "nest_api_constructor_x", "nest_api_%s", `nest_api_${"a".repeat(90)}`])(
    "finds nothing by a token that is none: %j",
    async (token) => {
      await using scene = await SignedInHub.start();
      expect((await scene.with(token, "GET", "/api/audit")).status).toBe(401);
    },
  );
});

describe("whoever reads the hub's files", () => {
  test("finds no token: its digest alone is kept, and the audit says who made it without it", async () => {
    await using scene = await SignedInHub.start();
    const { token, about } = await scene.token("operate");
    await scene.with(token, "POST", "/api/contribute/queue/hold", HOLD);
    const { audit } = (await scene.boss("GET", "/api/audit")).body as { audit: Record<string, unknown>[] };
    expect(audit[0]).toMatchObject({ actor: "token operate token (by boss)", action: "queue hold" });
    expect(audit[1]).toMatchObject({
      actor: "boss",
      action: "api token made",
      subject: "operate token",
      before: null,
      after: { scope: "operate", prefix: about.prefix, ends_at: about.ends_at },
    });
    await scene.hub.hub.stop();
    const secret = token.slice(about.prefix.length + 1);
    expect((await readFile(join(scene.hub.folder, "hub.sqlite"))).includes(secret)).toBe(false);
    const sqlite = new DatabaseSync(join(scene.hub.folder, "hub.sqlite"), { readOnly: true });
    expect(JSON.stringify(sqlite.prepare("select * from settings").all())).toContain(about.id);
    sqlite.close();
  });

  test("the last use is written once a minute at most, and shown", async () => {
    await using scene = await SignedInHub.start();
    const { token, about } = await scene.token("read");
    const writes = () => scene.hub.hub.ledger.setting(`api-token-used:${about.id}`);
    const use = async () => {
      await scene.with(token, "GET", "/api/audit");
      await scene.hub.settled();
      return writes();
    };
    const first = await use();
    await scene.hub.clock.jump(MINUTE_MS - 1);
    expect(await use()).toBe(first);
    await scene.hub.clock.jump(1);
    expect(await use()).toBe(Number(first) + MINUTE_MS);
    const { tokens } = (await scene.boss("GET", "/api/tokens")).body as { tokens: { used_at: string }[] };
    expect(Date.parse(tokens[0]?.used_at ?? "")).toBe(scene.hub.clock.now());
  });
});

test("a token's name cannot pretend in the audit to be another's", async () => {
  await using scene = await SignedInHub.start();
  for (const name of ["x (by root)", "", " x", "x\n", "a".repeat(61), "x) y"])
    expect((await scene.boss("POST", "/api/tokens", { name, scope: "read" })).status).toBe(400);
});
