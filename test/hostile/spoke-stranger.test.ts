import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SpokeHere } from "../harness/spoke-here.ts";
import { signedIn, standaloneSpoke } from "../harness/standalone-spoke.ts";
import { VisitorHere } from "../harness/visitor-here.ts";

// Somebody on the network of a nest that signs people in itself, and pages of other sites in the browsers of those who are signed in.
let spoke: SpokeHere;
let ada: VisitorHere;
beforeAll(async () => {
  spoke = await standaloneSpoke(["ada:owner", "may:merger", "rob:read"]);
  ada = await signedIn(spoke, "ada");
}, 60_000);
afterAll(() => spoke[Symbol.asyncDispose]());

const forged = { "x-nest-user": "ada", "x-nest-role": "owner", "x-nest-proxy-auth": "guess" };
const status = async (visitor: VisitorHere) => (await visitor.ask("GET", "/api/gh-user-auth/status")).body;

test("headers that say a role are nobody's where no hub's proxy is in front, on this machine too", async () => {
  const stranger = new VisitorHere(spoke.url);
  for (const path of ["/api/backup/status", "/api/events", "/api/agents/scanner/screen", "/api/config/governor/backup"])
    expect([path, (await stranger.ask("GET", path, undefined, forged)).status]).toEqual([path, 401]);
  const rob = await signedIn(spoke, "rob");
  expect((await rob.ask("GET", "/api/backup/status", undefined, forged)).status).toBe(403);
});

test.each([
  ["no role", {}],
  ["the role read", { login: "rob" }],
  ["headers of their own", { headers: forged }],
  ["a session that nobody began", { session: "a".repeat(64) }],
  ["a session with a name in it", { session: "__proto__" }],
])(
  "a terminal is closed to %s, before a socket is opened",
  async (_who, {
    login,
    headers,
    session,
  }: {
    login?: string;
    headers?: Record<string, string>;
    session?: string;
  }) => {
    const visitor = login === undefined ? new VisitorHere(spoke.url) : await signedIn(spoke, login);
    if (session !== undefined) visitor.setCookie("nest_session", session);
    for (const agent of ["nest-scanner", "nest-nobody", "", "../../etc"])
      expect([agent, await visitor.terminal(agent, headers).outcome]).toEqual([agent, 403]);
  },
);

test.each([
  ["another site", { origin: "http://evil.example" }, 403],
  ["a page with no origin", { origin: "null" }, 403],
  ["another port of this machine", { origin: "http://127.0.0.1:1" }, 403],
  ["no page at all", { origin: "" }, 403],
  ["another name of this nest", { host: "evil.example", origin: "http://evil.example" }, 421],
  [
    "a name that a client says was forwarded",
    { origin: "http://evil.example", "x-forwarded-host": "evil.example" },
    403,
  ],
])("an owner's cookie opens no terminal for %s", async (_who, headers, refused) => {
  expect(await ada.terminal("nest-scanner", headers).outcome).toBe(refused);
});

test.each(["nest-nobody", "nest-", "scanner", "nest-a/b", "nest-scanner&arg=nest-other", "nest-%2e%2e", "nest-a;b"])(
  "an owner who asks for the terminal %s gets none",
  async (agent) => {
    expect([400, 404]).toContain(await ada.terminal(agent).outcome);
  },
);

test.each(["//", "http://[::1/x", "/terminal/ws\u0000", "*", "/other"])(
  "an upgrade of %s leaves the nest alive",
  async (target) => {
    const { hostname, port } = new URL(spoke.url);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    socket.write(
      `GET ${target} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    );
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1\.1 40[034]/);
    socket.destroy();
    expect((await ada.ask("GET", "/api/health")).status).toBe(200);
  },
);

test("pages of other sites change nothing with an owner's cookie, and sign nobody in or out", async () => {
  for (const path of ["/api/gh-user-auth/start", "/api/gh-user-auth/poll", "/api/gh-user-auth/logout", "/api/backup"])
    for (const from of [{ origin: "http://evil.example" }, { origin: "null" }, { "sec-fetch-site": "cross-site" }])
      expect([path, (await ada.ask("POST", path, undefined, from as never)).status]).toEqual([path, 403]);
  const grab = { users: ["mallory:owner", "ada:read"] };
  for (const origin of ["http://evil.example", ""])
    expect((await ada.ask("PUT", "/api/config/authorized-users", grab, { origin })).status).toBe(403);
  expect(await status(ada)).toMatchObject({ username: "ada", role: "owner" });
});

test("a session that somebody planted is not the one that its victim signs in to", async () => {
  const victim = new VisitorHere(spoke.url);
  victim.setCookie("nest_session", "f".repeat(64));
  await victim.signIn(spoke, "may");
  expect(victim.cookies.get("nest_session")).not.toBe("f".repeat(64));
  const attacker = new VisitorHere(spoke.url);
  attacker.setCookie("nest_session", "f".repeat(64));
  expect((await status(attacker)).logged_in).toBe(false);
});

test("a cookie that was copied is worth nothing after its owner has signed out", async () => {
  const may = await signedIn(spoke, "may");
  const thief = new VisitorHere(spoke.url);
  for (const [name, value] of may.cookies) thief.setCookie(name, value);
  expect((await status(thief)).username).toBe("may");
  await may.ask("POST", "/api/gh-user-auth/logout");
  expect((await status(thief)).logged_in).toBe(false);
  expect(await thief.terminal("nest-scanner").outcome).toBe(403);
});

test("who begins a sign-in while somebody else's is pending gets nothing of it, also with its cookie after it is done", async () => {
  const [victim, thief] = [new VisitorHere(spoke.url), new VisitorHere(spoke.url)];
  const code = await victim.begin();
  const flow = victim.cookies.get("nest_sign_in") ?? "";
  await thief.begin();
  spoke.codeHost.decideDeviceLogin(code, { login: "may" });
  expect(await victim.finish()).toMatchObject({ username: "may" });
  expect((await thief.ask("POST", "/api/gh-user-auth/poll")).body.status).toMatch(/pending|slow_down/);
  thief.setCookie("nest_sign_in", flow);
  expect((await thief.ask("POST", "/api/gh-user-auth/poll")).body.status).not.toBe("complete");
  expect((await status(thief)).logged_in).toBe(false);
});

test.each(["", "x", "x.y", "e30.e30", "a".repeat(4000)])(
  "a sign-in with the made-up cookie %s is none",
  async (cookie) => {
    const stranger = new VisitorHere(spoke.url);
    stranger.setCookie("nest_sign_in", cookie);
    expect((await stranger.ask("POST", "/api/gh-user-auth/poll")).body).toMatchObject({ status: "error" });
  },
);

test("one viewer opens no more than eight terminals, and closing one makes room", async () => {
  const open = Array.from({ length: 8 }, () => ada.terminal("nest-scanner"));
  expect(new Set(await Promise.all(open.map(({ outcome }) => outcome)))).toEqual(new Set(["open"]));
  expect(await ada.terminal("nest-scanner").outcome).toBe(429);
  open[0]?.socket.close();
  await open[0]?.closed;
  const again = ada.terminal("nest-scanner");
  expect(await again.outcome).toBe("open");
  for (const { socket } of [...open, again]) socket.terminate();
});

test("a flood of polls is throttled, by the address that is seen and not by one that is said, and signs nobody out", async () => {
  const stranger = new VisitorHere(spoke.url);
  await stranger.begin();
  const statuses: number[] = [];
  for (let nth = 0; nth < 100; nth += 1) {
    const { status: answered } = await stranger.ask("POST", "/api/gh-user-auth/poll", undefined, {
      "x-forwarded-for": `198.51.100.${nth}`,
    });
    statuses.push(answered);
  }
  expect(statuses.at(-1)).toBe(429);
  expect((await status(ada)).role).toBe("owner");
});
