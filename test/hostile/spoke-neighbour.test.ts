import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type OutgoingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ProcessHere } from "../harness/process-here.ts";

// A nest behind a hub's proxy believes the roles that its own machine reports. A browser on that machine shows a hostile page
// whose host name was made to point at the nest.
let folder: string;
let spoke: ProcessHere;
let dashboard = "";
let terminal = "";

const NEST_YAML = `project: {org: acme, repos: [one]}
github: {token: t}
hub: {enabled: false, dashboard_url: "https://nests.example.org/acme"}
dashboard: {hub_proxied: true, public_url: "https://acme.example.org", hosts: ["*.svc.cluster.local"]}
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-spoke-neighbour-"));
  await writeFile(join(folder, "nest.yaml"), NEST_YAML);
  spoke = new ProcessHere("nest", ["spoke"], {
    NEST_DATA_DIR: folder,
    NEST_CONFIG: join(folder, "nest.yaml"),
    NEST_SPOKE_DASHBOARD_PORT: "0",
    NEST_SPOKE_TERMINAL_PORT: "0",
    NEST_DASHBOARD_TOKEN: "token-of-the-proxy-0123456789abcdef",
  });
  [, dashboard = ""] = await spoke.says(/^nest-spoke listening on (\S+)$/m);
  await expectSaid(/"terminal":"([^"]+)"/);
  [, terminal = ""] = /"terminal":"([^"]+)"/.exec(spoke.said) ?? [];
});
afterAll(async () => {
  await spoke[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function expectSaid(pattern: RegExp): Promise<void> {
  while (!pattern.test(spoke.said)) await new Promise((resolve) => setTimeout(resolve, 20));
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

function answer(method: string, url: string, headers: Headers, body?: string) {
  return new Promise<{ readonly status: number | undefined; readonly text: string }>((resolve, reject) => {
    const asked = request(url, { method, headers: { ...headers } as OutgoingHttpHeaders }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.on("end", () => resolve({ status: response.statusCode, text }));
    });
    asked.on("error", reject).end(body);
  });
}

async function ask(method: string, url: string, headers: Headers, body?: string): Promise<number | undefined> {
  return (await answer(method, url, headers, body)).status;
}

const evil = { host: "evil.example:3002", origin: "http://evil.example:3002" };
const forged = { "x-nest-user": "ada", "x-nest-role": "owner" };
const json = { "content-type": "application/json" };
const KEY = JSON.stringify({ encryptionKey: "a".repeat(64) });

test("its page sets no backup key, downloads no backup and reads nothing", async () => {
  const key = `${dashboard}/api/config/governor/backup`;
  expect(await ask("PUT", key, { ...evil, ...forged, ...json }, KEY)).toBe(421);
  expect(await ask("PUT", key, { ...evil, ...forged, ...json, "x-forwarded-host": "localhost" }, KEY)).toBe(421);
  expect(await ask("POST", `${dashboard}/api/backup`, { ...evil, ...forged })).toBe(421);
  for (const path of ["/", "/backup", "/api/backup/status", "/metrics", "/no/such"])
    expect(await ask("GET", dashboard + path, { ...evil, ...forged })).toBe(421);
  expect(await ask("GET", `${terminal}/`, evil)).toBe(421);
});

test("the nest's own names are known", async () => {
  const health = `${dashboard}/api/health`;
  for (const host of ["acme.example.org", "nests.example.org", "nest.team.svc.cluster.local:3002", "localhost"])
    expect([host, await ask("GET", health, { host })]).toEqual([host, 200]);
});

test("a proxy that proves itself answers for the names that it lets through", async () => {
  const proof = { "x-nest-proxy-auth": "token-of-the-proxy-0123456789abcdef" };
  expect(await ask("GET", `${dashboard}/api/health`, { host: "any.name", ...proof })).toBe(200);
  expect(await ask("GET", `${dashboard}/api/health`, { host: "any.name", "x-nest-proxy-auth": "guess" })).toBe(421);
});

test.each(["null", "[]", "7", "{}"])("a key that is %s is refused with 400", async (body) => {
  expect(await ask("PUT", `${dashboard}/api/config/governor/backup`, { ...forged, ...json }, body)).toBe(400);
});

test.each<[string, Headers]>([
  ["no role", { "x-nest-user": "ada" }],
  ["a role that there is not", { ...forged, "x-nest-role": "king" }],
  ["a role twice", { ...forged, "x-nest-role": ["owner", "owner"] }],
  ["two roles", { ...forged, "x-nest-role": ["read", "owner"] }],
  ["a role among others", { ...forged, "x-nest-role": "read, owner" }],
])(
  "who says %s sees no name on a page and gets nothing from a route, by one and the same judgement",
  async (_what, said) => {
    const home = await answer("GET", `${dashboard}/`, said);
    expect([home.status, home.text]).toEqual([200, expect.not.stringContaining("acme")]);
    for (const path of ["/backup", "/api/backup/status", "/api/config/governor/backup"])
      expect([path, await ask("GET", dashboard + path, said)]).toEqual([path, 403]);
    expect((await answer("GET", `${dashboard}/`, forged)).text).toContain("acme");
  },
);

test("a page of another site changes nothing with the visitor's role, whatever host it says was forwarded", async () => {
  const key = `${dashboard}/api/config/governor/backup`;
  const own = new URL(dashboard).host;
  for (const elsewhere of [
    { origin: "http://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site", origin: `http://${own}` },
    { origin: "http://evil.example", "x-forwarded-host": "acme.example.org" },
  ] as const)
    expect(await ask("DELETE", key, { ...forged, ...elsewhere })).toBe(403);
});
