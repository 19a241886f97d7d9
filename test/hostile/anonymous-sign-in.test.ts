import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Secret } from "@nest/kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ADMIN_TOKEN, TestHub } from "../harness/hub.ts";
import { SignInHost } from "../harness/sign-in-host.ts";

/** The code host's sign-in side; counts what the hub asks it. */
let codeHost: Server;
let webUrl = "";
let asked: { url: string; form: URLSearchParams }[];
let answer: object;

beforeEach(async () => {
  asked = [];
  answer = { error: "authorization_pending" };
  codeHost = createServer((request, response) => {
    void formOf(request).then((form) => {
      asked.push({ url: request.url ?? "", form });
      const code = {
        device_code: "d",
        user_code: "A",
        verification_uri: `${webUrl}/device`,
        interval: 1,
        expires_in: 900,
      };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(request.url === "/login/device/code" ? code : answer));
    });
  });
  await new Promise<void>((resolve) => codeHost.listen(0, "127.0.0.1", resolve));
  webUrl = `http://127.0.0.1:${(codeHost.address() as AddressInfo).port}`;
});
afterEach(() => codeHost.close());

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return new URLSearchParams(text);
}

async function start(): Promise<TestHub> {
  const oauth = { clientId: "client", clientSecret: new Secret("client-secret") };
  const hub = await TestHub.start({ config: { webUrl, oauth, admins: ["boss"] } });
  hub.codeHost.users.set("token-of-carol", "carol");
  return hub;
}

const cookies = (headers: Headers) =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");

describe("a sign-in by the code host", () => {
  test("can be completed once: the same state and code are refused a second time, without a call to the code host", async () => {
    await using hub = await start();
    const there = await fetch(`${hub.url}/login`, { redirect: "manual" });
    const state = new URL(there.headers.get("location") ?? "").searchParams.get("state") ?? "";
    answer = { access_token: "token-of-carol" };
    const back = () =>
      fetch(`${hub.url}/api/auth/callback?code=c&state=${encodeURIComponent(state)}`, {
        redirect: "manual",
        headers: { cookie: cookies(there.headers) },
      });
    const statuses = (await Promise.all(Array.from({ length: 60 }, back))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 302).length).toBe(1);
    expect(asked.length).toBe(1);
  });

  test("is bound to this hub by a verifier that its browser never sees (PKCE, S256)", async () => {
    await using hub = await start();
    const there = await fetch(`${hub.url}/login`, { redirect: "manual" });
    const address = new URL(there.headers.get("location") ?? "");
    expect(address.searchParams.get("code_challenge_method")).toBe("S256");
    const challenge = address.searchParams.get("code_challenge") ?? "";
    answer = { access_token: "token-of-carol" };
    await fetch(
      `${hub.url}/api/auth/callback?code=c&state=${encodeURIComponent(address.searchParams.get("state") ?? "")}`,
      {
        redirect: "manual",
        headers: { cookie: cookies(there.headers) },
      },
    );
    const verifier = asked[0]?.form.get("code_verifier") ?? "";
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)));
    expect(Buffer.from(digest).toString("base64url")).toBe(challenge);
    expect(`${address.href} ${cookies(there.headers)}`).not.toContain(verifier);
  });
});

describe("strangers cannot use up the hub's quota at the code host", () => {
  test("polls of a device sign-in: 60 a minute from one address, then 429 with when to come back", async () => {
    await using hub = await start();
    const begun = (await hub.call("POST", "/api/auth/device/start")).body as { login_id: string };
    asked = [];
    const poll = () => hub.call("POST", "/api/auth/device/poll", { login_id: begun.login_id });
    const answers = [];
    for (let nth = 0; nth < 100; nth += 1) answers.push(await poll());
    expect(asked.length).toBe(60);
    const refused = answers.at(-1);
    expect(refused?.status).toBe(429);
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("stylesheets: 10 a minute from one address and 300 an hour in all, and one that is not there is asked for once", async () => {
    await using hub = await start();
    let calls = 0;
    const { isPrivate } = hub.codeHost;
    hub.codeHost.isPrivate = async (...args) => {
      calls += 1;
      return isPrivate.apply(hub.codeHost, args);
    };
    const style = (nth: number, from: string) =>
      hub.call("GET", `/api/leaderboard/style?src=acme/one/style-${nth}.css@main`, undefined, {
        "x-forwarded-for": from,
      });
    for (let nth = 0; nth < 5; nth += 1) expect((await style(1, "203.0.113.1")).status).toBe(404);
    expect(calls).toBe(1);
    for (let nth = 0; nth < 30; nth += 1) await style(100 + nth, "203.0.113.1");
    expect(calls).toBe(10);
    for (let nth = 0; nth < 400; nth += 1) await style(1000 + nth, `198.51.100.${nth % 200}`);
    expect(calls).toBe(300);
    expect((await style(5000, "192.0.2.1")).status).toBe(429);
  });
});

describe("a stream ends when its reader loses rights that it was opened with", () => {
  const opened = async (hub: TestHub, headers: Record<string, string>) => {
    const response = await fetch(`${hub.url}/api/contribute/events`, { headers });
    const reader = response.body?.getReader();
    return async (): Promise<void> => {
      while (!(await reader?.read())?.done);
    };
  };

  test("when its session is ended", async () => {
    await using host = await SignInHost.start();
    await using hub = await TestHub.start({
      config: { webUrl: host.url, oauth: { clientId: "client", clientSecret: undefined }, admins: ["boss"] },
    });
    const cookie = (await host.signIn(hub, "boss")).map(({ name, value }) => `${name}=${value}`).join("; ");
    const end = await opened(hub, { cookie });
    const stays = await fetch(`${hub.url}/api/contribute/events`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    await hub.call("POST", "/api/auth/logout", {}, { cookie, origin: hub.url });
    await end();
    expect(stays.body?.locked).toBe(false);
    await stays.body?.cancel();
  });

  test("when a contributor's access is revoked, within a keep-alive", async () => {
    await using hub = await TestHub.start();
    const { contributor_id: id, registration_token: token } = await hub.register("carol");
    const end = await opened(hub, { authorization: `Bearer ${token}` });
    await hub.admin("POST", `/api/contributors/${id}/revoke`, {});
    await hub.clock.advance(15_000);
    await end();
  });
});
