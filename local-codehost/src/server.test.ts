import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { systemClock } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type LocalCodeHost, startLocalCodeHost } from "./start.ts";

const TOKEN = "ghp_of-the-test";
let folder: string;
let host: LocalCodeHost;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "local-codehost-"));
  host = await startLocalCodeHost({
    dataDir: join(folder, "data"),
    clock: systemClock(),
    seed: {
      organisations: ["meadow"],
      tokens: { [TOKEN]: "ada" },
      repositories: [
        { owner: "meadow", name: "clock", files: { "README.md": "# Clock\n" } },
        { owner: "meadow", name: "vault", files: { "README.md": "# Vault\n" }, private: true, writers: ["ada"] },
      ],
    },
  });
});
afterEach(async () => {
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

const git = async (...args: string[]) =>
  (await promisify(execFile)("git", args, { env: { PATH: process.env.PATH, HOME: folder, GIT_TERMINAL_PROMPT: "0" } }))
    .stdout;
const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(`${host.url}${path}`, { method, headers });

test("a push larger than the largest body of the API goes through, and the API knows it at once", async () => {
  const checkout = join(folder, "checkout");
  await git("clone", "-q", `${host.url}/meadow/clock.git`, checkout);
  await writeFile(join(checkout, "noise.bin"), randomBytes(3 * 1024 * 1024));
  const inCheckout = ["-C", checkout, "-c", "user.name=Ada", "-c", "user.email=ada@example.test"];
  await git(...inCheckout, "checkout", "-q", "-b", "some/deep/branch");
  await git(...inCheckout, "add", ".");
  await git(...inCheckout, "commit", "-q", "-m", "noise");
  const sha = (await git(...inCheckout, "rev-parse", "HEAD")).trim();
  const address = host.url.replace("http://", `http://ada:${TOKEN}@`);
  await git(...inCheckout, "push", "-q", `${address}/meadow/clock.git`, "some/deep/branch");
  const found = await get("/repos/meadow/clock/git/ref/heads/some/deep/branch");
  expect(await found.json()).toMatchObject({ object: { sha } });
});

test("git asks for a login where a stranger wants a hidden repository or to push, and where a token is wrong", async () => {
  const wrong = `Basic ${Buffer.from("x:ghp_wrong").toString("base64")}`;
  for (const [path, headers] of [
    ["/meadow/vault.git/info/refs?service=git-upload-pack", {}],
    ["/meadow/clock.git/info/refs?service=git-receive-pack", {}],
    ["/meadow/clock.git/info/refs?service=git-upload-pack", { authorization: wrong }],
  ] as const) {
    const answer = await get(path, headers);
    expect([path, answer.status, answer.headers.get("www-authenticate")]).toEqual([
      path,
      401,
      'Basic realm="local code host"',
    ]);
  }
});

test("an address that is none, and one of a hidden repository, are answered with the platform's 404", async () => {
  for (const path of [
    "/repos/meadow/none",
    "/repos/meadow/vault",
    "/meadow/vault",
    "/meadow/clock/issues/77",
    "/a/b/c/d/e",
  ]) {
    const answer = await get(path);
    expect([path, answer.status, await answer.json()]).toEqual([
      path,
      404,
      { message: "Not Found", documentation_url: "" },
    ]);
  }
});

test("a body that is too large is refused, and so is one that is no JSON", async () => {
  const post = (body: string) =>
    fetch(`${host.url}/repos/meadow/clock/issues`, {
      method: "POST",
      headers: { authorization: `token ${TOKEN}` },
      body,
    });
  expect((await post(JSON.stringify({ title: "x".repeat(1024 * 1024) }))).status).toBe(413);
  const broken = await post("{");
  expect([broken.status, await broken.json()]).toEqual([
    400,
    { message: "Problems parsing JSON", documentation_url: "" },
  ]);
});

test("whoever has an answer already gets 304, and that call is not counted", async () => {
  const first = await get("/repos/meadow/clock");
  const again = await get("/repos/meadow/clock", { "if-none-match": first.headers.get("etag") ?? "" });
  expect(again.status).toBe(304);
  expect(again.headers.get("x-ratelimit-remaining")).toBe(first.headers.get("x-ratelimit-remaining"));
});

test("a scripted failure hits any kind of request, also one whose address is none", async () => {
  for (const path of [
    "/meadow/clock.git/info/refs?service=git-upload-pack",
    "/repos/meadow/clock",
    "/meadow/clock",
    "/a/b/c/d",
  ]) {
    host.failNext({ path: path.split("?")[0] ?? "", status: 502, headers: { "retry-after": "7" } });
    const answer = await get(path);
    expect([path, answer.status, answer.headers.get("retry-after")]).toEqual([path, 502, "7"]);
  }
});

test("what a field may hold is a pattern that browsers read", async () => {
  const page = await (await get("/login/device")).text();
  const patterns = [...page.matchAll(/pattern="([^"]*)"/g)].map(([, pattern = ""]) => pattern);
  expect(patterns.length).toBeGreaterThan(0);
  // Browsers read it with the flag `v`, which knows more special characters.
  for (const pattern of patterns) expect("ada-fern").toMatch(new RegExp(`^(?:${pattern})$`, "v"));
});

test("a page forbids scripts and frames, with or without a slash at its end", async () => {
  for (const path of ["/", "/meadow/clock", "/meadow/clock/", "/meadow/clock/issues", "/login/device?user_code=AB"]) {
    const page = await get(path);
    expect([path, page.status]).toEqual([path, 200]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  }
});
