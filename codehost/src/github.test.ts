import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, Secret, seededRandom, systemClock } from "@nest/kit";
import { afterEach, expect, test } from "vitest";
import { GitHub } from "./github.ts";

type Reply = (response: ServerResponse, request: IncomingMessage) => void;
const TOKEN = "ghp_a_very_secret_token";
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A platform that gives these replies, one a request, the last again and again; and a clock that never really sleeps. */
async function platform(...replies: Reply[]) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    replies[Math.min(seen.length, replies.length) - 1]?.(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const slept: number[] = [];
  const real = systemClock();
  let skipped = 0;
  const clock: Clock = {
    ...real,
    now: () => real.now() + skipped,
    async sleep(delayMs, signal) {
      signal?.throwIfAborted();
      slept.push(delayMs);
      skipped += delayMs;
    },
  };
  const github = new GitHub({
    credentials: { kind: "token", token: new Secret(TOKEN) },
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clock,
    random: seededRandom(1),
    timeoutMs: 300,
  });
  return { github, seen, slept, clock };
}

const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Reply => {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
    response.end(JSON.stringify(value));
  };
};
const issue = (number: number, more: object = {}) => ({
  number,
  title: `Issue ${number}`,
  body: null,
  html_url: `https://github.com/acme/widgets/issues/${number}`,
  state: "open",
  user: null,
  labels: ["bug", { name: "good first issue" }],
  assignees: [{ login: "robin" }],
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-02T00:00:00Z",
  ...more,
});

test("an issue is read whole, a deleted author as ghost, and pull requests are left out", async () => {
  const { github } = await platform(json([issue(1), issue(2, { pull_request: {} })]));
  expect((await github.openIssues("acme/widgets")).items).toEqual([
    {
      repo: "acme/widgets",
      number: 1,
      title: "Issue 1",
      body: "",
      url: "https://github.com/acme/widgets/issues/1",
      state: "open",
      author: "ghost",
      labels: ["bug", "good first issue"],
      assignees: ["robin"],
      createdAt: Date.UTC(2026, 0, 1),
      updatedAt: Date.UTC(2026, 0, 2),
    },
  ]);
});

test("server errors are tried again three times, with jitter, and then told", async () => {
  const broken = json({ message: "oops" }, 502);
  const good = await platform(broken, broken, broken, json([]));
  expect((await good.github.openIssues("acme/widgets")).items).toEqual([]);
  expect(good.slept).toHaveLength(3);
  const bad = await platform(broken);
  await expect(bad.github.openIssues("acme/widgets")).rejects.toMatchObject({ code: "codehost_unreachable" });
  expect(bad.seen).toHaveLength(4);
});

test("a connection that breaks is tried again", async () => {
  const { github } = await platform((response) => response.destroy(), json([issue(1)]));
  expect((await github.openIssues("acme/widgets")).items).toHaveLength(1);
});

test("a platform that hangs is given up after the time-out", async () => {
  const { github, seen } = await platform(() => {});
  await expect(github.openIssues("acme/widgets")).rejects.toMatchObject({
    code: "codehost_unreachable",
    message: expect.stringContaining("too long"),
  });
  expect(seen).toHaveLength(4);
});

test("a body that stops in the middle is a failed try, never half a list", async () => {
  const half: Reply = (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "5000" });
    response.write(JSON.stringify([issue(1)]).slice(0, 60));
    setTimeout(() => response.destroy(), 10);
  };
  const { github } = await platform(half);
  await expect(github.openIssues("acme/widgets")).rejects.toMatchObject({
    code: expect.stringMatching(/^codehost_(bad_answer|unreachable)$/),
  });
  const healed = await platform(half, json([issue(1), issue(2)]));
  expect((await healed.github.openIssues("acme/widgets")).items).toHaveLength(2);
});

test.each([
  ["text that is no JSON", "<html>", "application/json"],
  ["an HTML page", "<html></html>", "text/html"],
  ["cut JSON", '[{"number": 1', "application/json"],
  ["an object in place of a list", "{}", "application/json"],
  ["an entry without its fields", '[{"number": 1}]', "application/json"],
  ["an entry that is nothing", "[null]", "application/json"],
])("%s is a bad answer", async (_, text, type) => {
  const { github } = await platform((response) => {
    response.writeHead(200, { "content-type": type });
    response.end(text);
  });
  await expect(github.openIssues("acme/widgets")).rejects.toMatchObject({ code: "codehost_bad_answer" });
});

test("a page that fails among good ones fails the whole list", async () => {
  const first: Reply = (response, request) => {
    const link = `<http://${request.headers.host}/repos/acme/widgets/issues?page=2>; rel="next"`;
    json([issue(1)], 200, { link })(response, request);
  };
  const { github } = await platform(first, json({ message: "gone" }, 404));
  await expect(github.openIssues("acme/widgets")).rejects.toMatchObject({ code: "codehost_not_found" });
});

test("a second scan sends the ETag, and 304 keeps what is known", async () => {
  const { github, seen } = await platform(json([issue(1)], 200, { etag: 'W/"abc"' }), (response) => {
    response.writeHead(304).end();
  });
  const first = await github.openIssues("acme/widgets");
  const second = await github.openIssues("acme/widgets");
  expect(seen[1]?.headers["if-none-match"]).toBe('W/"abc"');
  expect(second.unchanged).toBe(true);
  expect(second.items).toBe(first.items);
});

test("a short rate limit is waited for, by retry-after", async () => {
  const { github, slept } = await platform(json({}, 429, { "retry-after": "7" }), json([]));
  await github.openIssues("acme/widgets");
  expect(slept[0]).toBeGreaterThanOrEqual(6_900);
  expect(slept[0]).toBeLessThanOrEqual(9_100);
});

test("a used-up limit that ends in an hour is told at once, with the time, and nobody knocks before", async () => {
  const reset = Math.floor(Date.now() / 1000) + 3600;
  const limit = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(reset) };
  const { github, seen, slept } = await platform(json({ message: "API rate limit exceeded" }, 403, limit));
  const failure = {
    code: "codehost_rate_limited",
    message: expect.stringContaining(new Date(reset * 1000).toISOString()),
  };
  await expect(github.openIssues("acme/widgets")).rejects.toMatchObject(failure);
  await expect(github.openPullRequests("acme/widgets")).rejects.toMatchObject(failure);
  expect(seen).toHaveLength(1);
  expect(slept).toEqual([]);
});

test("a limit of somebody else's token is theirs: it is told at once, and our own calls go on", async () => {
  const reset = Math.floor(Date.now() / 1000) + 3600;
  const limit = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(reset) };
  const { github, slept } = await platform(json({ message: "API rate limit exceeded" }, 403, limit), json([]));
  await expect(github.whoIs(new Secret("ghp_exhausted"))).rejects.toMatchObject({ code: "codehost_rate_limited" });
  expect((await github.openIssues("acme/widgets")).items).toEqual([]);
  expect(slept).toEqual([]);
});

test("the limit of one stranger's token keeps no other stranger waiting", async () => {
  const limit = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(Math.floor(Date.now() / 1000) + 3600) };
  const { github } = await platform(json({ message: "limit" }, 403, limit), json({ login: "ada", id: 7 }));
  await expect(github.whoIs(new Secret("ghp_exhausted"))).rejects.toMatchObject({ code: "codehost_rate_limited" });
  expect(await github.whoIs(new Secret("ghp_other"))).toMatchObject({ login: "ada" });
});

test("while we wait for our own limit, somebody else's login is proven all the same", async () => {
  const limit = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(Math.floor(Date.now() / 1000) + 3600) };
  const { github } = await platform(json({ message: "limit" }, 403, limit), json({ login: "ada", id: 7 }));
  await expect(github.openIssues("acme/widgets")).rejects.toMatchObject({ code: "codehost_rate_limited" });
  expect(await github.whoIs(new Secret("ghp_x"))).toMatchObject({ login: "ada" });
});

test("waiting for a rate limit ends with the signal", async () => {
  const { github } = await platform(json({}, 429, { "retry-after": "7" }));
  await expect(github.issue("acme/widgets", 1, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
});

test.each([401, 403])("status %d is a refusal that is not tried again and names no secret", async (status) => {
  const { github, seen } = await platform(json({ message: `bad token ${TOKEN}` }, status));
  const thrown: unknown = await github.openIssues("acme/widgets").catch((reason: unknown) => reason);
  expect(thrown).toMatchObject({ code: "codehost_refused" });
  expect(seen).toHaveLength(1);
  expect(`${thrown} ${JSON.stringify(thrown)}`).not.toContain(TOKEN);
});

test("an answer 404 is undefined for one issue, and a failure for a list", async () => {
  const { github } = await platform(json({ message: "Not Found" }, 404));
  expect(await github.issue("acme/widgets", 1)).toBeUndefined();
  await expect(github.openIssues("acme/widgets")).rejects.toMatchObject({ code: "codehost_not_found" });
});

test("a limit or an outage while asking whose token it is does not pass for a wrong token", async () => {
  const { github } = await platform(json({}, 503));
  await expect(github.whoIs(new Secret("ghp_x"))).rejects.toMatchObject({ code: "codehost_unreachable" });
});

test("a repository name that is none is refused before anything is sent", async () => {
  const { github, seen } = await platform(json([]));
  await expect(github.openIssues("widgets")).rejects.toMatchObject({ code: "codehost_bad_answer" });
  expect(seen).toEqual([]);
});

test("an app's key that is no key is told as such", async () => {
  const credentials = { kind: "app", appId: 1, privateKey: new Secret("no key"), installationId: 2 } as const;
  const github = new GitHub({ credentials, apiUrl: "http://127.0.0.1:1" });
  await expect(github.openIssues("acme/widgets")).rejects.toMatchObject({ code: "codehost_refused" });
});

test.each([
  [json({ private: true }), true],
  [json({ private: false, visibility: "public" }), false],
  [json({ private: false, visibility: "internal" }), true],
  [json({ message: "Not Found" }, 404), true],
  [json({}), true],
  [json({ private: false, visibility: "limited" }), true],
])("a repository is private unless the platform says that everybody may see it (%#)", async (reply, expected) => {
  const { github, seen } = await platform(reply);
  expect(await github.isPrivate("acme/widgets")).toBe(expected);
  expect(seen[0]?.url).toBe("/repos/acme/widgets");
});

test.each([
  [json({ type: "file", encoding: "base64", size: 5, content: "aGVs\nbG8=\n" }), { kind: "text", text: "hello" }],
  [json({ type: "file", encoding: "base64", size: 5_000_000, content: "" }), { kind: "too_large" }],
  [json({ type: "file", encoding: "base64", content: "aGVsbG8gd29ybGQ=" }), { kind: "too_large" }],
  [json({ type: "symlink", target: "/etc/passwd" }), { kind: "absent" }],
  [json([{ type: "file" }]), { kind: "absent" }],
  [json({ message: "Not Found" }, 404), { kind: "absent" }],
])("a file of a repository is read whole, or not at all (%#)", async (reply, expected) => {
  const { github, seen } = await platform(reply);
  const file = { repo: "acme/site", path: "css/board.css", ref: "feature/x", maxBytes: 10 };
  expect(await github.textFile(file)).toEqual(expected);
  expect(seen[0]?.url).toBe("/repos/acme/site/contents/css/board.css?ref=feature%2Fx");
});
