import { Readable } from "node:stream";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compressAnswers, preferred } from "./compress.ts";

const long = "the same words again and again, ".repeat(200);
let http: FastifyInstance;

beforeAll(async () => {
  http = Fastify();
  compressAnswers(http);
  http.get("/data", () => ({ long }));
  http.get("/short", () => ({ short: "words" }));
  http.get("/file", (_request, reply) => reply.type("text/css; charset=utf-8").send(Readable.from([long, long])));
  http.get("/broken", (_request, reply) =>
    reply.type("text/css").send(
      Readable.from(
        (async function* () {
          yield long;
          throw new Error("the disk");
        })(),
      ),
    ),
  );
  http.get("/events", (_request, reply) => reply.type("text/event-stream").send(long));
  http.get("/packed", (_request, reply) => reply.header("content-encoding", "br").type("text/css").send(long));
  http.get("/image", (_request, reply) => reply.type("image/png").send(Buffer.from(long)));
  http.post("/register", () => ({ registration_token: "ab".repeat(32), github_username: long }));
  await http.ready();
});
afterAll(() => http.close());

const get = (url: string, encodings = "gzip, deflate, br") =>
  http.inject({ url, headers: { "accept-encoding": encodings } });

test("data is compressed in the best way that a client takes, and says that it depends on the client", async () => {
  const small = await get("/data");
  expect(small.headers).toMatchObject({ "content-encoding": "br", vary: "accept-encoding" });
  expect(JSON.parse(brotliDecompressSync(small.rawPayload).toString())).toEqual({ long });
  expect(Number(small.headers["content-length"])).toBe(small.rawPayload.length);
  const older = await get("/data", "gzip");
  expect(JSON.parse(gunzipSync(older.rawPayload).toString())).toEqual({ long });
  const plain = await get("/data", "identity");
  expect([plain.headers["content-encoding"], plain.headers.vary]).toEqual([undefined, "accept-encoding"]);
  expect(plain.json()).toEqual({ long });
});

test("a file is compressed while it is read", async () => {
  const file = await get("/file");
  expect(file.headers["content-encoding"]).toBe("br");
  expect(brotliDecompressSync(file.rawPayload).toString()).toBe(long + long);
});

test("the answer breaks off when its file cannot be read to the end, so that nobody takes it for whole", async () => {
  const address = await http.listen({ host: "127.0.0.1", port: 0 });
  const asking = fetch(`${address}/broken`, { headers: { "accept-encoding": "br" } });
  await expect(asking.then((answer) => answer.text())).rejects.toThrow();
});

test.each(["/short", "/events", "/packed", "/image"])("%s stays as it is", async (url) => {
  const answer = await get(url);
  expect(answer.headers["content-encoding"]).toBe(url === "/packed" ? "br" : undefined);
});

test("an answer to POST is never compressed, because it may contain a token beside a stranger's words", async () => {
  const answer = await http.inject({ method: "POST", url: "/register", headers: { "accept-encoding": "br, gzip" } });
  expect(answer.headers["content-encoding"]).toBeUndefined();
  expect(answer.json()).toMatchObject({ github_username: long });
});

test.each([
  ["gzip, deflate, br", "br"],
  ["gzip", "gzip"],
  ["br;q=0, gzip;q=0.5", "gzip"],
  ["*", "br"],
  ["br;q=0, *;q=0", undefined],
  ["identity", undefined],
  ["", undefined],
  ["brr, xgzip", undefined],
  [undefined, undefined],
] as const)("Accept-Encoding: %s asks for %s", (header, way) => {
  expect(preferred(header)).toBe(way);
});
