import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { ADMIN_TOKEN, TestHub } from "../harness/hub.ts";
import { RawRelay } from "../harness/raw-relay.ts";

/** Sends a request with any headers; `fetch` would refuse some of them. */
function ask(
  url: string,
  headers: Record<string, string>,
  method = "GET",
): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode, text }));
    });
    asked.on("error", reject).end();
  });
}

describe("a socket may send little before it has authenticated", () => {
  test("a frame of more than 4 KiB closes it with 1009", async () => {
    await using hub = await TestHub.start();
    const relay = new RawRelay(hub.socket);
    await relay.next("auth_challenge");
    relay.send({ type: "an_unknown_type", filling: "x".repeat(4096) });
    expect((await relay.closed).code).toBe(1009);
  });

  test("a fifth frame closes it with 1008, of whatever type they were", async () => {
    await using hub = await TestHub.start();
    const relay = new RawRelay(hub.socket);
    await relay.next("auth_challenge");
    for (let nth = 0; nth < 5; nth += 1) relay.send({ type: "an_unknown_type" });
    expect(await relay.closed).toEqual({ code: 1008, reason: "too many frames before authentication" });
    expect(hub.hub.gateway.counts.frames).toBe(5);
  });

  test("an address that keeps doing so is turned away for a minute", async () => {
    await using hub = await TestHub.start();
    for (let nth = 0; nth <= 100; nth += 1) {
      const relay = new RawRelay(hub.socket);
      await relay.next("auth_challenge");
      relay.send({ type: "an_unknown_type", filling: "x".repeat(4096) });
      await relay.closed;
    }
    const late = new RawRelay(hub.socket);
    expect((await late.closed).code).toBe(1006);
    await hub.clock.jump(60_000);
    const again = new RawRelay(hub.socket);
    await again.next("auth_challenge");
    again.socket.terminate();
  });
});

describe("a page whose host name was made to point at the hub (DNS rebinding)", () => {
  const evil = { host: "evil.example:8080", origin: "http://evil.example:8080" };

  test.each(["/", "/api/contribute/status", "/api/auth/user", "/metrics", "/no/such/page", "/api/health"])(
    "is refused %s with 421",
    async (path) => {
      await using hub = await TestHub.start();
      const { status, text } = await ask(hub.url + path, evil);
      expect([status, JSON.parse(text).code]).toEqual([421, "misdirected_request"]);
    },
  );

  test("is refused a change, even with a header that names the hub for a proxy", async () => {
    await using hub = await TestHub.start();
    const refusedTo = async (headers: Record<string, string>) =>
      (await ask(`${hub.url}/api/contribute/register`, { ...headers, "content-type": "application/json" }, "POST"))
        .status;
    expect(await refusedTo(evil)).toBe(421);
    expect(await refusedTo({ ...evil, "x-forwarded-host": "localhost" })).toBe(421);
    expect(await refusedTo({ host: "localhost", origin: evil.origin, "x-forwarded-host": "evil.example:8080" })).toBe(
      421,
    );
  });

  test("is refused a WebSocket", async () => {
    await using hub = await TestHub.start();
    const key = { "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==", "sec-websocket-version": "13" };
    const upgrade = { connection: "Upgrade", upgrade: "websocket", ...key };
    const url = `${hub.url}/api/contribute/ws`;
    expect((await ask(url, { ...upgrade, host: evil.host })).status).toBe(421);
  });

  test("and the names that the operator gave are known, as are a named proxy's", async () => {
    const config = { publicUrl: "https://hub.example.org", hosts: ["*.svc.cluster.local"] };
    await using hub = await TestHub.start({ config });
    const status = async (headers: Record<string, string>) => (await ask(`${hub.url}/api/health`, headers)).status;
    expect(await status({ host: "hub.example.org" })).toBe(200);
    expect(await status({ host: "nest-hub.nest.svc.cluster.local:8080" })).toBe(200);
    expect(await status({ host: "other.example.org" })).toBe(421);
    await using proxied = await TestHub.start({
      config: { ...config, trustedProxies: ["127.0.0.1"], trustedProxiesAreNamed: true },
    });
    const behind = async (headers: Record<string, string>) => (await ask(`${proxied.url}/api/health`, headers)).status;
    expect(await behind({ host: "upstream", "x-forwarded-host": "hub.example.org" })).toBe(200);
    expect(await behind({ host: "upstream", "x-forwarded-host": "evil.example" })).toBe(421);
  });
});

describe("streams of events", () => {
  const open = (hub: TestHub, headers: Record<string, string> = {}) => {
    const end = new AbortController();
    const answer = fetch(`${hub.url}/api/contribute/events`, { headers, signal: end.signal });
    return { answer, end: () => end.abort() };
  };

  test("one address has at most 20 without a sign-in, and an admin finds room all the same", async () => {
    await using hub = await TestHub.start();
    const streams = Array.from({ length: 30 }, () => open(hub));
    const statuses = (await Promise.all(streams.map(({ answer }) => answer))).map(({ status }) => status);
    expect([200, 503].map((wanted) => statuses.filter((status) => status === wanted).length)).toEqual([20, 10]);
    const admin = open(hub, { authorization: `Bearer ${ADMIN_TOKEN}` });
    expect((await admin.answer).status).toBe(200);
    const elsewhere = open(hub, { "x-forwarded-for": "203.0.113.9" });
    expect((await elsewhere.answer).status).toBe(200);
    for (const { end } of [...streams, admin, elsewhere]) end();
  });

  test("strangers from many addresses leave room for admins", async () => {
    await using hub = await TestHub.start();
    const streams = Array.from({ length: 820 }, (_, nth) =>
      open(hub, { "x-forwarded-for": `198.51.${Math.floor(nth / 10)}.1` }),
    );
    const statuses = (await Promise.all(streams.map(({ answer }) => answer))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBe(800);
    const admin = open(hub, { authorization: `Bearer ${ADMIN_TOKEN}` });
    expect((await admin.answer).status).toBe(200);
    for (const { end } of [...streams, admin]) end();
  }, 60_000);
});

test.each(["null", "[]", "7", '"x"', "true"])("a body that is %s is refused with 400, and named", async (body) => {
  await using hub = await TestHub.start();
  for (const path of ["/api/contribute/register", "/api/auth/device/poll"]) {
    const answer = await hub.call("POST", path, body);
    expect([path, answer.status, answer.body]).toEqual([path, 400, expect.objectContaining({ code: "bad_request" })]);
  }
});

test("whoever takes any old answer is never given one that was made for admins", async () => {
  await using hub = await TestHub.start({ issues: 2 });
  hub.codeHost.privateRepositories.add("acme/one");
  await hub.clock.jump(2 * 3_600_000);
  await hub.hub.monitor.refresh();
  for (const path of ["/api/contribute/queue?limit=10", "/api/contribute/queue?limit=10&with=withheld"]) {
    const admin = await hub.admin("GET", path);
    expect(JSON.stringify(admin.body)).toContain("acme/one#1");
    const stranger = await hub.call("GET", path, undefined, { "cache-control": "max-age=999999999, stale-ok" });
    expect(stranger.body).toMatchObject({ queue: [], hidden: 2 });
  }
  const order = await hub.call("GET", "/api/contribute/queue/order", undefined, { "cache-control": "max-age=9" });
  expect(order.status).toBe(401);
});
