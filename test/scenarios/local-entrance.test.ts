import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Door, doorsOf, Entrance } from "@nest/local-cluster";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { freePorts } from "../harness/folder-here.ts";

const HOST = "shop.localhost";
const [PORT = 0, SILENT = 0] = await freePorts(2);

/** A hub that knows one cookie, and a pod that tells what it was sent and echoes over WebSocket. */
let hub: Server;
let pod: Server;
let entrance: Entrance;
let doors: readonly Door[];
let podIsReady = true;
const asked: IncomingMessage["headers"][] = [];

beforeAll(async () => {
  hub = await listening((message, answer) => {
    asked.push(message.headers);
    if (message.headers.cookie === undefined) answer.writeHead(401).end();
    else if (!message.headers.cookie.includes("nest_pass=ada")) answer.writeHead(403).end();
    else
      answer.writeHead(200, { "x-nest-user": "ada", "x-nest-role": "owner", "set-cookie": "nest_pass=ada" }).end("{}");
  });
  pod = await listening((message, answer) =>
    answer.end(JSON.stringify({ url: message.url, headers: message.headers })),
  );
  new WebSocketServer({ server: pod }).on("connection", (socket, message) => {
    socket.send(String(message.headers["x-nest-role"]));
    socket.on("message", (bytes) => socket.send(bytes));
  });
  entrance = await Entrance.start(PORT, {
    doors: () => doors,
    podOf: () => (podIsReady ? { host: "127.0.0.1", port: portOf(pod) } : undefined),
  });
});
afterAll(async () => {
  await entrance?.[Symbol.asyncDispose]();
  for (const server of [hub, pod]) {
    server?.closeAllConnections();
    server?.close();
  }
});
beforeEach(() => {
  doors = doorsFor(`http://127.0.0.1:${portOf(hub)}`);
  podIsReady = true;
});

/** What our Ingress objects say: pages lead to the sign-in, calls do not. */
function doorsFor(hubUrl: string): readonly Door[] {
  const nginx = "nginx.ingress.kubernetes.io";
  const judged = {
    [`${nginx}/auth-url`]: `${hubUrl}/api/saas/auth-check?nest=shop`,
    [`${nginx}/auth-response-headers`]: "X-Nest-User,X-Nest-Role,X-Nest-Proxy-Auth",
  };
  const one = (path: string, more: object) =>
    doorsOf({
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: { name: path, namespace: "shop", annotations: { ...judged, ...more } },
      spec: {
        rules: [
          {
            host: HOST,
            http: { paths: [{ path, backend: { service: { name: "nest", port: { name: "dashboard" } } } }] },
          },
        ],
      },
    });
  return [...one("/", { [`${nginx}/auth-signin`]: "http://hub.test/open" }), ...one("/api", {})];
}

function ask(path: string, headers: Record<string, string> = {}, host = `${HOST}:${PORT}`) {
  return new Promise<{ status: number; headers: IncomingMessage["headers"]; text: string }>((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: PORT, path, headers: { host, ...headers } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    sent.on("error", reject).end();
  });
}

const ada = { cookie: "nest_pass=ada" };

test("a page without a session leads to the sign-in with the address that was asked for; a call gets the 401", async () => {
  const { status, headers } = await ask("/agents?x=1");
  expect([status, headers.location]).toEqual([
    302,
    `http://hub.test/open?rd=${encodeURIComponent(`http://${HOST}:${PORT}/agents?x=1`)}`,
  ]);
  expect(await ask("/api/agents")).toMatchObject({ status: 401 });
});

test("the hub is asked with the browser's cookie and the address, and its pass goes to the browser", async () => {
  const { status, headers } = await ask("/agents", ada);
  expect([status, headers["set-cookie"]]).toEqual([200, ["nest_pass=ada"]]);
  expect(asked.at(-1)).toMatchObject({ cookie: "nest_pass=ada", "x-original-url": `http://${HOST}:${PORT}/agents` });
});

test("what a browser says of its own role and address does not reach the pod", async () => {
  const forged = {
    "x-nest-role": "admin",
    "x-nest-proxy-auth": "x",
    "x-forwarded-for": "8.8.8.8",
    "x-forwarded-user": "root",
  };
  const { text } = await ask("/agents", { ...ada, ...forged });
  const { headers } = JSON.parse(text) as { headers: Record<string, string> };
  expect(headers).toMatchObject({ "x-nest-user": "ada", "x-nest-role": "owner", "x-forwarded-for": "127.0.0.1" });
  expect(headers).not.toHaveProperty("x-nest-proxy-auth");
  expect(headers).not.toHaveProperty("x-forwarded-user");
});

test("who is refused by the hub does not reach the pod", async () => {
  expect(await ask("/agents", { cookie: "nest_pass=eve" })).toMatchObject({ status: 403 });
});

test("a hub that does not answer lets nobody in", async () => {
  doors = doorsFor(`http://127.0.0.1:${SILENT}`);
  expect(await ask("/agents", ada)).toMatchObject({ status: 502 });
  expect(await opened("/agents", ada)).toBe(502);
});

test("a nest whose pod is not ready says so, and a name that is no nest's has no door", async () => {
  podIsReady = false;
  expect(await ask("/agents", ada)).toMatchObject({
    status: 503,
    text: expect.stringContaining("is paused, or not ready yet"),
  });
  expect(await ask("/agents", ada, "other.localhost")).toMatchObject({ status: 404 });
});

test("a WebSocket comes through with the role that the hub told, both ways; without one it is refused", async () => {
  const said: string[] = [];
  const headers = { host: `${HOST}:${PORT}`, ...ada, "x-nest-role": "admin" };
  const socket = new WebSocket(`ws://127.0.0.1:${PORT}/terminal/ws`, { headers });
  socket.on("message", (bytes) => said.push(String(bytes)));
  socket.on("open", () => socket.send("hello"));
  await expect.poll(() => said).toEqual(["owner", "hello"]);
  socket.close();
  expect(await opened("/terminal/ws", {})).toBe(401);
  expect(await opened("/terminal/ws", { cookie: "nest_pass=eve" })).toBe(403);
});

/** The status with which a WebSocket was refused; 101 when it was not. */
function opened(path: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${PORT}${path}`, { headers: { host: `${HOST}:${PORT}`, ...headers } });
  return new Promise((resolve) => {
    socket.on("unexpected-response", (_, answer) => resolve(answer.statusCode ?? 0));
    socket.on("open", () => resolve(101));
    socket.on("error", () => {});
  });
}

function listening(serve: Parameters<typeof createServer>[1]): Promise<Server> {
  const server = createServer(serve as never);
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
