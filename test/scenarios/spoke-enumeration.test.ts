import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { GitHub } from "@nest/codehost";
import { Scanner } from "@nest/governor";
import { Secret, silentLog, systemClock } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";

const REPOS = 50;
const ISSUES_EACH = 250;
const PAGE = 100;

let server: Server;
let apiUrl = "";
const answered = { full: 0, unchanged: 0 };
/** Issues that somebody changed, by repository and number. */
const changed = new Set<string>();

beforeEach(async () => {
  Object.assign(answered, { full: 0, unchanged: 0 });
  changed.clear();
  server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://x");
    const [, , owner = "", name = "", list] = url.pathname.split("/");
    const page = Number(url.searchParams.get("page") ?? 1);
    const last = list === "issues" ? Math.ceil(ISSUES_EACH / PAGE) : 1;
    const body = list === "issues" ? issuesOf(`${owner}/${name}`, page) : "[]";
    const etag = `"${createHash("sha1").update(`${url.pathname}${page}${body}`).digest("hex")}"`;
    const next = new URL(url);
    next.searchParams.set("page", String(page + 1));
    response.setHeader("etag", etag);
    if (page < last) response.setHeader("link", `<${next}>; rel="next", <${lastPage(url, last)}>; rel="last"`);
    if (request.headers["if-none-match"] === etag) {
      answered.unchanged += 1;
      response.writeHead(304).end();
      return;
    }
    answered.full += 1;
    response.setHeader("content-type", "application/json");
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => server.close());

function lastPage(url: URL, last: number): URL {
  const address = new URL(url);
  address.searchParams.set("page", String(last));
  return address;
}

function issuesOf(repo: string, page: number): string {
  const first = (page - 1) * PAGE + 1;
  const count = Math.min(PAGE, ISSUES_EACH - first + 1);
  return JSON.stringify(
    Array.from({ length: count }, (_, at) => ({
      number: first + at,
      title: changed.has(`${repo}#${first + at}`) ? "Changed" : "An issue",
      body: "",
      state: "open",
      html_url: `https://example.test/${repo}/issues/${first + at}`,
      user: { login: "bob", id: 7 },
      labels: [],
      assignees: [],
      created_at: "2026-01-01T00:00:00Z",
      updated_at: "2026-01-01T00:00:00Z",
    })),
  );
}

test("reading 50 repositories with 12,500 issues again costs no answer with a body, but for the page that changed", async () => {
  const repos = Array.from({ length: REPOS }, (_, at) => `acme/r${at}`);
  const clock = systemClock();
  const codeHost = new GitHub({ credentials: { kind: "token", token: new Secret("t") }, apiUrl, clock });
  const scanner = new Scanner({
    codeHost,
    because: undefined,
    clock,
    log: silentLog(),
    webBase: "https://example.test",
  });
  await scanner.scan(repos);
  const pages = Math.ceil(ISSUES_EACH / PAGE) + 1;
  expect(scanner.repos.reduce((sum, { issues }) => sum + issues.length, 0)).toBe(REPOS * ISSUES_EACH);
  expect(answered.full).toBe(REPOS * pages);
  Object.assign(answered, { full: 0, unchanged: 0 });
  await scanner.scan(repos);
  expect(answered.full).toBe(0);
  expect(answered.unchanged).toBe(REPOS * pages);
  changed.add("acme/r7#120");
  Object.assign(answered, { full: 0, unchanged: 0 });
  await scanner.scan(repos);
  expect(answered.full).toBe(1);
  expect(scanner.repos[7]?.issues.filter(({ title }) => title === "Changed")).toHaveLength(1);
});
