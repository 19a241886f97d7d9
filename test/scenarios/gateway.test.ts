import { createHash, createHmac } from "node:crypto";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { TestHub } from "../harness/hub.ts";
import { RawRelay } from "../harness/raw-relay.ts";

test("the handshake: challenge, response, auth_ok with protocol version, tier, permissions and limits of a frame", async () => {
  await using hub = await TestHub.start();
  const { registration_token: token, contributor_id: id } = await hub.register("ada");
  const relay = new RawRelay(hub.socket);
  expect(await relay.next("auth_challenge")).toMatchObject({ seq: 1, nonce: expect.stringMatching(/^[0-9a-f]{32}$/) });
  relay.send({ type: "auth_response", registration_token: token, cli_backend: "codex", relay_protocol_version: "1.2" });
  expect(await relay.next("auth_ok")).toMatchObject({
    contributor_id: id,
    trust_tier: "newcomer",
    permissions: ["issues:write"],
    protocol_version: "1.2",
    max_message_bytes: 65_536,
    connection_id: expect.any(String),
    server_capabilities: expect.arrayContaining(["task_ack", "auth_proof", "task_declined", "withheld_counts"]),
  });
});

test("a relay may prove its token over the nonce instead of sending it", async () => {
  await using hub = await TestHub.start();
  const { registration_token: token, contributor_id: id } = await hub.register("ada");
  const prove = async (key: string) => {
    const relay = new RawRelay(hub.socket);
    const { nonce, server_capabilities: offered } = await relay.next("auth_challenge");
    expect(offered).toContain("auth_proof");
    const auth_proof = createHmac("sha256", createHash("sha256").update(key).digest("hex")).update(nonce).digest("hex");
    relay.send({ type: "auth_response", contributor_id: id, auth_proof });
    return relay;
  };
  expect((await (await prove(token)).next("auth_ok")).contributor_id).toBe(id);
  expect((await (await prove("wrong")).next("auth_failed")).reason).toBe("invalid token");
});

test.each([
  [{}, "missing token"],
  [{ registration_token: "" }, "missing token"],
  [{ registration_token: "0".repeat(64) }, "invalid token"],
  [{ contributor_id: "c-none", auth_proof: "ff" }, "invalid token"],
])("auth_response %j is refused for good: %s, close 1008", async (response, reason) => {
  await using hub = await TestHub.start();
  const relay = new RawRelay(hub.socket);
  await relay.next("auth_challenge");
  relay.send({ type: "auth_response", ...response });
  expect((await relay.next("auth_failed")).reason).toBe(reason);
  expect((await relay.closed).code).toBe(1008);
});

test("messages before authentication are ignored, and silence ends after ten seconds", async () => {
  await using hub = await TestHub.start();
  const relay = new RawRelay(hub.socket);
  await relay.next("auth_challenge");
  relay.send({ type: "ready" });
  relay.send({ type: "task_complete", task_id: "t", task_gen: 1 });
  await new Promise((resolve) => setTimeout(resolve, 50));
  await hub.clock.advance(10_000);
  expect((await relay.next("auth_failed")).reason).toBe("authentication timeout");
  expect((await relay.closed).code).toBe(1008);
});

test.each<[string, string | Buffer]>([
  ["not JSON", "{"],
  ["an array", "[]"],
  ["null", "null"],
  ["no type", '{"task_id":"x"}'],
  ["a type that is no text", '{"type":{"$ne":null}}'],
  ["a polluted prototype", '{"type":"ready","__proto__":{"admin":true},"constructor":{"prototype":{"x":1}}}'],
  ["deep nesting", `{"type":"auth_response","capabilities":${'{"a":'.repeat(6000)}1${"}".repeat(6000)}}`],
  ["binary", Buffer.from([0, 1, 2, 255])],
  ["an unknown type", '{"type":"standby_declare","standby":{}}'],
  ["a task message without its ids", '{"type":"task_complete"}'],
])("a frame that is %s changes nothing and the socket lives", async (_what, frame) => {
  await using hub = await TestHub.start();
  const relay = await hub.relay("ada");
  relay.socket.send(frame);
  expect(await relay.pending("task_revoke", "auth_failed")).toEqual([]);
  expect(({} as { admin?: unknown }).admin).toBeUndefined();
  await relay.ready();
  expect(relay.socket.readyState).toBe(relay.socket.OPEN);
});

test("a frame over 64 KiB closes the socket with 1009; one of exactly that passes", async () => {
  await using hub = await TestHub.start();
  const fits = await hub.relay("ada");
  const frame = (bytes: number) => {
    const empty = JSON.stringify({ type: "ping", pad: "" });
    return JSON.stringify({ type: "ping", pad: "x".repeat(bytes - empty.length) });
  };
  fits.socket.send(frame(65_536));
  await fits.next("pong");
  fits.socket.send(frame(65_537));
  expect((await fits.closed).code).toBe(1009);
});

test("two thousand sockets that never authenticate are held to 64 an address, the rest told 503, and go when time is up", async () => {
  await using hub = await TestHub.start();
  const working = await hub.relay("ada");
  const answers: Awaited<ReturnType<typeof rawUpgrade>>[] = [];
  // As many at once as the system keeps for a server that is busy; what it drops, it tries again seconds later.
  while (answers.length < 2000)
    answers.push(...(await Promise.all(Array.from({ length: 100 }, () => rawUpgrade(hub.url)))));
  expect(answers.filter(({ status }) => status === 101)).toHaveLength(64);
  expect(answers.find(({ status }) => status === 503)?.head).toMatch(/retry-after: /i);
  await working.ready();
  await hub.clock.advance(10_000);
  // These sockets do not answer a close, so the hub cuts each two seconds later.
  await hub.clock.advance(2000);
  await expect.poll(async () => (await rawUpgrade(hub.url)).status).toBe(101);
  for (const { end } of answers) end();
});

test("a foreign Origin is refused, the own one and none are accepted", async () => {
  await using hub = await TestHub.start();
  const foreign = new RawRelay(hub.socket, { origin: "https://evil.example" });
  expect((await foreign.closed).code).toBe(1006);
  const own = new RawRelay(hub.socket, { origin: hub.url });
  await own.next("auth_challenge");
});

test("every relay is pinged in its turn, however many there are", async () => {
  await using hub = await TestHub.start();
  const relays: RawRelay[] = [];
  for (let nth = 0; nth < 200; nth += 1) relays.push(await hub.relay(`member-${nth}`));
  await hub.clock.advance(30_100);
  await Promise.all(relays.map((relay) => relay.next("ping")));
}, 60_000);

test("a silent peer is closed with 1001 after three missed pings; one that answers stays", async () => {
  await using hub = await TestHub.start();
  const relay = await hub.relay("ada");
  relay.socket.pause();
  for (let nth = 0; nth < 7; nth += 1) {
    await hub.clock.advance(15_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  relay.socket.resume();
  expect((await relay.closed).code).toBe(1001);
  const alive = await hub.relay("bob");
  for (let nth = 0; nth < 12; nth += 1) {
    await hub.clock.advance(15_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(alive.socket.readyState).toBe(alive.socket.OPEN);
});

test("a hub that was suspended for hours disconnects nobody for the silence it caused itself", async () => {
  await using hub = await TestHub.start();
  const relays = await Promise.all(["ada", "bob", "carol"].map((login) => hub.relay(login)));
  for (let nth = 0; nth < 40; nth += 1) {
    await hub.clock.jump(4 * 3_600_000);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  for (const { socket } of relays) expect(socket.readyState).toBe(socket.OPEN);
});

test("declared facts are cut, cleaned and shown; they never decide anything", async () => {
  await using hub = await TestHub.start();
  await hub.relay("ada", {
    cli_backend: `clau\u0000de${"x".repeat(200)}`,
    model: 42,
    relay_protocol_version: "1.9",
    capabilities: {
      os: "linux\u001b[31m",
      arch: ["x"],
      container_runtime: "docker",
      credential_type: "pat",
      nonsense: "y",
    },
  });
  const { clankers } = (await hub.call("GET", "/api/contribute/fleet")).body as { clankers: Record<string, unknown>[] };
  expect(clankers[0]).toMatchObject({
    github_username: "ada",
    cli_backend: `claude${"x".repeat(58)}`,
    capabilities: { os: "linux[31m", container_runtime: "docker", credential_type: "pat" },
    protocol: { declared: "1.9", verdict: "newer" },
  });
  expect(JSON.stringify(clankers)).not.toContain("token");
});

test.each([
  ["1.2", "current"],
  ["1.0", "older"],
  ["2.0", "incompatible"],
  [undefined, "unknown"],
  ["banana", "malformed"],
])(
  "a relay of protocol %s authenticates and receives work; the hub only reports it as %s",
  async (version, verdict) => {
    await using hub = await TestHub.start();
    const relay = await hub.relay(
      "ada",
      version === undefined ? {} : { capabilities: { relay_protocol_version: version } },
    );
    await relay.ready();
    const { clankers } = (await hub.call("GET", "/api/contribute/fleet")).body as {
      clankers: { protocol: { verdict: string } }[];
    };
    expect(clankers[0]?.protocol.verdict).toBe(verdict);
  },
);

test("reject-unknown with a non-empty allow list refuses a model that matches nothing and lists the accepted patterns", async () => {
  const contribute = { contribute_allow_models: ["claude-*", "/^gpt-5/"], contribute_reject_unknown_models: true };
  await using hub = await TestHub.start({ contribute });
  const { registration_token } = await hub.register("ada");
  const relay = new RawRelay(hub.socket);
  await relay.next("auth_challenge");
  relay.send({ type: "auth_response", registration_token, model: "llama-3" });
  expect(await relay.next("auth_failed")).toMatchObject({
    accepted_models: ["claude-*", "/^gpt-5/"],
    reason: expect.stringContaining("claude-*"),
  });
  const welcome = await RawRelay.join(hub.socket, registration_token, { model: "GPT-5-codex" });
  await welcome.ready();
});

test("a hub that stops closes every relay's connection with 1012", async () => {
  const hub = await TestHub.start();
  const relays = await Promise.all(["a1", "b1", "c1"].map((login) => hub.relay(login)));
  await hub[Symbol.asyncDispose]();
  expect((await Promise.all(relays.map(({ closed }) => closed))).map(({ code }) => code)).toEqual([1012, 1012, 1012]);
});

/** Sends a raw upgrade request, which a WebSocket client would not let through. */
function rawUpgrade(url: string): Promise<{ status: number; head: string; end: () => void }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `GET /api/contribute/ws HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
      ),
    );
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the hub closed the connection without an answer")));
    socket.once("data", (data) => {
      const head = data.toString("latin1");
      resolve({ status: Number(head.split(" ")[1]), head, end: () => socket.destroy() });
    });
  });
}

describe("behind a proxy", () => {
  const wait = (hub: TestHub, forwardedFor: string) =>
    new Promise<number>((resolve) => {
      const socket = new WebSocket(hub.socket, { headers: { "x-forwarded-for": forwardedFor } });
      socket.on("error", () => {});
      socket.on("open", () => resolve(101));
      socket.on("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
    });

  test("that is trusted, limits per address apply to the address that it forwards", async () => {
    await using hub = await TestHub.start();
    const all = await Promise.all(Array.from({ length: 64 }, () => wait(hub, "203.0.113.1")));
    expect(new Set(all)).toEqual(new Set([101]));
    expect(await wait(hub, "203.0.113.1")).toBe(503);
    expect(await wait(hub, "203.0.113.2")).toBe(101);
  });

  test("that is not trusted, the address that it forwards is ignored", async () => {
    await using hub = await TestHub.start({ config: { trustedProxies: ["10.0.0.0/8"] } });
    await Promise.all(Array.from({ length: 64 }, (_, at) => wait(hub, `203.0.113.${at}`)));
    expect(await wait(hub, "203.0.113.200")).toBe(503);
  });
});

test("a relay that cannot work says why, and people see it among what it declared", async () => {
  await using hub = await TestHub.start();
  await hub.relay("ada", { capabilities: { os: "linux", trouble: "claude: the login\u001b[31m has expired" } });
  const { clankers } = (await hub.call("GET", "/api/contribute/fleet")).body as {
    clankers: { capabilities: object }[];
  };
  expect(clankers[0]?.capabilities).toEqual({ os: "linux", trouble: "claude: the login[31m has expired" });
});
