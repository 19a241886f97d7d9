import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { silentLog } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RegistryDigests } from "./registry-digests.ts";

const OLD = `sha256:${"a".repeat(64)}`;
const NEW = `sha256:${"b".repeat(64)}`;
let tags: Map<string, string>;
let wantsToken: boolean;
let isAway: boolean;
const asked: string[] = [];
const warned: string[] = [];
const server = createServer(answer);
let host = "";

/** As registries answer: the digest in a header, a token for anybody who asks where they want one. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  asked.push(`${request.method} ${request.url}`);
  if (request.url?.startsWith("/token?")) return void response.end(JSON.stringify({ token: "for-anybody" }));
  if (isAway) return void response.writeHead(503).end();
  if (wantsToken && request.headers.authorization !== "Bearer for-anybody")
    return void response
      .writeHead(401, { "www-authenticate": `Bearer realm="http://${host}/token",service="here",scope="pull"` })
      .end();
  const digest = tags.get(request.url ?? "");
  if (digest === undefined) return void response.writeHead(404).end();
  response.writeHead(200, { "docker-content-digest": digest }).end();
}

beforeEach(async () => {
  [tags, wantsToken, isAway] = [new Map([["/v2/team/nest-spoke/manifests/stable", OLD]]), false, false];
  asked.length = 0;
  warned.length = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

function registry(): RegistryDigests {
  const log = Object.assign(silentLog(), { warn: (fields: object) => warned.push(JSON.stringify(fields)) });
  return new RegistryDigests({ fetch, log: log as never });
}

test("a registry is asked for the digest of a tag, and says another one once the tag has moved", async () => {
  const digests = registry();
  expect(await digests.digestOf(`${host}/team/nest-spoke:stable`)).toBe(OLD);
  tags.set("/v2/team/nest-spoke/manifests/stable", NEW);
  expect(await digests.digestOf(`${host}/team/nest-spoke:stable`)).toBe(NEW);
  expect(asked).toEqual(Array(2).fill("HEAD /v2/team/nest-spoke/manifests/stable"));
});

test("where it wants the token that anybody gets, that is fetched", async () => {
  wantsToken = true;
  expect(await registry().digestOf(`${host}/team/nest-spoke:stable`)).toBe(OLD);
  expect(asked[1]).toBe("GET /token?service=here&scope=pull");
});

test("a registry that is away, does not know the image, or gives no digest is told of once, and says nothing", async () => {
  const digests = registry();
  isAway = true;
  for (let nth = 0; nth < 2; nth += 1) expect(await digests.digestOf(`${host}/team/nest-spoke:stable`)).toBeUndefined();
  expect(warned).toHaveLength(1);
  isAway = false;
  expect(await digests.digestOf(`${host}/team/other:stable`)).toBeUndefined();
  tags.set("/v2/team/nest-spoke/manifests/stable", 'sha256:"><script>');
  expect(await digests.digestOf(`${host}/team/nest-spoke:stable`)).toBeUndefined();
});
