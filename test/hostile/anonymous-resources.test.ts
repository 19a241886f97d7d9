import { once } from "node:events";
import { connect } from "node:net";
import { Secret } from "@nest/kit";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { TestHub } from "../harness/hub.ts";

// A stranger tries to use up the hub's time or memory with few requests.

function raw(hub: TestHub) {
  const socket = connect(Number(new URL(hub.url).port), "127.0.0.1");
  socket.on("error", () => {});
  let said = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
  return { socket, said: () => said };
}

test("a connection that sends a thousand requests at once is cut, and nobody else waits for its answers", async () => {
  await using hub = await TestHub.start();
  const { socket, said } = raw(hub);
  socket.write("GET /api/contribute/queue HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1000));
  await once(socket, "close");
  expect(said().split("HTTP/1.1 200").length).toBeLessThan(100);
  expect((await hub.call("GET", "/api/health")).status).toBe(200);
});

test("the description of the API is generated once and not per request", async () => {
  await using hub = await TestHub.start();
  const [one, other] = [await hub.call("GET", "/api/openapi.json"), await hub.call("GET", "/api/openapi.json")];
  expect(other.body).toEqual(one.body);
});

test.each([
  ["where none are taken", undefined, `sha256=${"0".repeat(64)}`],
  ["without a signature", "webhook-secret-of-the-tests", ""],
  ["with something else for a signature", "webhook-secret-of-the-tests", "sha256=abc"],
])("the body of a webhook %s is not even read", async (_what, secret, signature) => {
  const webhookSecret = secret === undefined ? undefined : new Secret(secret);
  await using hub = await TestHub.start({ config: { webhookSecret } });
  const { socket, said } = raw(hub);
  const head = `POST /api/github/webhook HTTP/1.1\r\nHost: localhost\r\nX-Hub-Signature-256: ${signature}\r\n`;
  socket.write(`${head}Content-Length: 5000000\r\nContent-Type: application/json\r\n\r\n{`);
  await expect.poll(said).toContain("HTTP/1.1 401");
  socket.destroy();
});

test("only a few large bodies are read at the same time", async () => {
  await using hub = await TestHub.start({ config: { webhookSecret: new Secret("webhook-secret-of-the-tests") } });
  const head = `POST /api/github/webhook HTTP/1.1\r\nHost: localhost\r\nX-Hub-Signature-256: sha256=${"0".repeat(64)}\r\n`;
  const sockets = Array.from({ length: 20 }, () => raw(hub));
  for (const { socket } of sockets)
    socket.write(`${head}Content-Length: 5000000\r\nContent-Type: application/json\r\n\r\n{`);
  const refused = () => sockets.filter(({ said }) => said().includes("HTTP/1.1 429")).length;
  await expect.poll(refused).toBe(4);
  for (const { socket } of sockets) socket.destroy();
});

test("all addresses of one IPv6 /64 network share the limits of a single address", async () => {
  await using hub = await TestHub.start();
  const open = (nth: number, network: string) =>
    new Promise<string>((resolve) => {
      const headers = { "x-forwarded-for": `${network}::${nth.toString(16)}` };
      const socket = new WebSocket(hub.socket, { headers });
      socket.once("open", () => resolve("taken"));
      socket.once("error", (error) => resolve(error.message));
    });
  const answers = await Promise.all(Array.from({ length: 70 }, (_, nth) => open(nth, "2001:db8:1:2")));
  expect(answers.filter((answer) => answer === "taken").length).toBe(64);
  expect(await open(1, "2001:db8:1:3")).toBe("taken");
});

test("a message in hundreds of pieces closes its socket", async () => {
  await using hub = await TestHub.start();
  const socket = new WebSocket(hub.socket);
  await once(socket, "open");
  const closed = once(socket, "close");
  for (let nth = 0; nth < 400; nth += 1) socket.send("x", { fin: false });
  const [code] = await closed;
  expect(code).toBeGreaterThanOrEqual(1002);
});

test("a HEAD request for a stream is answered and does not count as an open stream", async () => {
  await using hub = await TestHub.start();
  for (let nth = 0; nth < 30; nth += 1) {
    const answer = await fetch(`${hub.url}/api/contribute/events`, { method: "HEAD" });
    expect(answer.status).toBe(200);
  }
  const end = new AbortController();
  const stream = await fetch(`${hub.url}/api/contribute/events`, { signal: end.signal });
  expect(stream.status).toBe(200);
  end.abort();
});

test("a pull request that names every issue of a repository claims only a few of them", async () => {
  await using hub = await TestHub.start({ issues: 100 });
  const body = Array.from({ length: 100 }, (_, at) => `fixes #${at + 1}`).join("\n");
  hub.codeHost.setPullRequest({ repo: "acme/one", number: 900, body });
  await hub.hub.monitor.refresh();
  expect(await hub.actionable()).toBe(80);
});
