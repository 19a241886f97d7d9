import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CodeHostMemory,
  type Credentials,
  closingReferences,
  GitHub,
  pollDeviceLogin,
  startDeviceLogin,
  verifyWebhook,
} from "@nest/codehost";
import { CODE_HOST_CONTRACT, type CodeHostStage } from "@nest/codehost/contract";
import { Secret, systemClock } from "@nest/kit";
import { type LocalCodeHost, startLocalCodeHost } from "@nest/local-codehost";
import { createEmulator } from "emulate";
import { afterEach, describe, expect, test } from "vitest";

const REPO = "acme/widgets";
const HUB: Credentials = { kind: "token", token: new Secret("ghp_hub") };
const keys = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs1", format: "pem" },
});
const APP: Credentials = { kind: "app", appId: 77, privateKey: new Secret(keys.privateKey), installationId: 7 };

const toClose: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "codehost-"));
  toClose.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function localCodeHost(dataDir: string): Promise<LocalCodeHost> {
  const host = await startLocalCodeHost({
    dataDir,
    clock: systemClock(),
    deviceIntervalSeconds: 0.2,
    seed: {
      organisations: ["acme"],
      tokens: { ghp_hub: "hub-owner" },
      apps: [{ id: 77, slug: "nest-app", publicKey: keys.publicKey, installationId: 7, account: "acme" }],
      repositories: [{ owner: "acme", name: "widgets", files: { "README.md": "# Widgets\n" } }],
    },
  });
  toClose.push(() => host.close());
  return host;
}

/** Calls the local code host's API as the hub's owner. */
async function call<T = { number: number }>(
  host: { url: string },
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const response = await fetch(`${host.url}${path}`, {
    method,
    headers: { authorization: "token ghp_hub" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

async function pushBranch(host: { url: string }, branch: string): Promise<void> {
  const folder = await temporaryFolder();
  const authorization = `Authorization: Basic ${Buffer.from("x:ghp_hub").toString("base64")}`;
  const config = [
    `http.extraHeader=${authorization}`,
    "user.name=Test",
    "user.email=test@example.com",
    "commit.gpgSign=false",
  ].flatMap((entry) => ["-c", entry]);
  const git = (...args: string[]) =>
    new Promise<void>((resolve, reject) => {
      const env = { ...process.env, GIT_TERMINAL_PROMPT: "0" };
      execFile("git", [...config, ...args], { env }, (failed, _, err) =>
        failed === null ? resolve() : reject(new Error(err)),
      );
    });
  await git("clone", "--quiet", `${host.url}/${REPO}.git`, folder);
  await git("-C", folder, "commit", "--quiet", "--allow-empty", "-m", `Work on ${branch}`);
  await git("-C", folder, "push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
}

async function githubStage(credentials: Credentials): Promise<CodeHostStage> {
  const local = await localCodeHost(await temporaryFolder());
  const issues = `/repos/${REPO}/issues`;
  const pulls = `/repos/${REPO}/pulls`;
  let branches = 0;
  return {
    host: new GitHub({ credentials, apiUrl: local.apiUrl }),
    repo: REPO,
    login: credentials.kind === "token" ? "hub-owner" : "nest-app[bot]",
    addIssue: async (issue) => (await call(local, "POST", issues, issue)).number,
    addComment: async (number) => void (await call(local, "POST", `${issues}/${number}/comments`, { body: "Go on" })),
    closeIssue: async (number) => void (await call(local, "PATCH", `${issues}/${number}`, { state: "closed" })),
    async addPullRequest(pull) {
      const head = `branch-${++branches}`;
      await pushBranch(local, head);
      return (await call(local, "POST", pulls, { ...pull, head, base: "main" })).number;
    },
    mergePullRequest: async (number) => void (await call(local, "PUT", `${pulls}/${number}/merge`)),
    async setChecks(number, verdict) {
      const { head } = await call<{ head: { sha: string } }>(local, "GET", `${pulls}/${number}`);
      await local.requireByRuleset(REPO, "main", ["build"]);
      const required_status_checks = { strict: false, contexts: ["lint"] };
      await call(local, "PUT", `/repos/${REPO}/branches/main/protection`, { required_status_checks });
      const state = { green: "success", red: "success", pending: "pending" }[verdict];
      await call(local, "POST", `/repos/${REPO}/statuses/${head.sha}`, { context: "lint", state });
      const conclusion = { green: "success", red: "failure", pending: undefined }[verdict];
      await call(local, "POST", `/repos/${REPO}/check-runs`, { name: "build", head_sha: head.sha, conclusion });
    },
    userToken: async (login) => new Secret(await local.addToken(login)),
  };
}

async function memoryStage(kind: "app" | "token"): Promise<CodeHostStage> {
  const host = new CodeHostMemory({ kind });
  host.addRepository(REPO);
  let next = 1;
  return {
    host,
    repo: REPO,
    login: host.login,
    addIssue: async (issue) => host.setIssue({ repo: REPO, number: next++, ...issue }).number,
    addComment: async (number) => host.addComment(REPO, number, { authorBelongs: true }),
    async closeIssue(number) {
      const issue = await host.issue(REPO, number);
      if (issue !== undefined) host.setIssue({ ...issue, state: "closed" });
    },
    addPullRequest: async (pull) => host.setPullRequest({ repo: REPO, number: next++, ...pull }).number,
    async mergePullRequest(number) {
      const pull = await host.pullRequest(REPO, number);
      if (pull !== undefined) host.setPullRequest({ ...pull, state: "closed", merged: true, mergedAt: 1000 });
    },
    async setChecks(number, verdict) {
      host.checks.set((await host.pullRequest(REPO, number))?.headSha ?? "", verdict);
    },
    async userToken(login) {
      host.users.set(`ghp_${login}`, login);
      return new Secret(`ghp_${login}`);
    },
  };
}

describe.each([
  ["GitHub with a personal token", () => githubStage(HUB)],
  ["GitHub as an app", () => githubStage(APP)],
  ["the code host in memory, with a token", () => memoryStage("token")],
  ["the code host in memory, as an app", () => memoryStage("app")],
] as const)("%s", (_, makeStage) => {
  test.each(CODE_HOST_CONTRACT.map((entry) => [entry.title, entry] as const))("%s", async (_title, entry) => {
    await entry.run(await makeStage());
  });
});

describe("the local code host", () => {
  test("goes on where it was when it is started again on the same folder", async () => {
    const folder = await temporaryFolder();
    const first = await localCodeHost(folder);
    await call(first, "POST", `/repos/${REPO}/issues`, { title: "Kept" });
    await pushBranch(first, "kept");
    await call(first, "POST", `/repos/${REPO}/pulls`, { title: "Pull", head: "kept", base: "main" });
    const second = await localCodeHost(folder);
    const host = new GitHub({ credentials: HUB, apiUrl: second.url });
    expect((await host.openIssues(REPO)).items.map((issue) => issue.title)).toEqual(["Kept"]);
    expect((await host.openPullRequests(REPO)).items.map((pull) => pull.headRef)).toEqual(["kept"]);
  });

  test("merging a pull request closes the issue that it says it fixes", async () => {
    const local = await localCodeHost(await temporaryFolder());
    await call(local, "POST", `/repos/${REPO}/issues`, { title: "Broken" });
    await pushBranch(local, "repair");
    const pull = { title: "Repair", body: "Fixes #1", head: "repair", base: "main" };
    await call(local, "POST", `/repos/${REPO}/pulls`, pull);
    await call(local, "PUT", `/repos/${REPO}/pulls/2/merge`, { merge_method: "merge" });
    const issue = await call<{ state: string }>(local, "GET", `/repos/${REPO}/issues/1`);
    expect(issue.state).toBe("closed");
  });

  test("a device sign-in is pending until somebody approves the code, then gives a token for that login", async () => {
    const local = await localCodeHost(await temporaryFolder());
    const options = { webUrl: local.webUrl, clientId: "Iv1.demo" };
    const login = await startDeviceLogin(options);
    const poll = () => pollDeviceLogin({ ...options, deviceCode: login.deviceCode });
    expect(await poll()).toEqual({ kind: "pending" });
    expect(local.decideDeviceLogin(login.userCode, { login: "robin" })).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 250));
    const done = await poll();
    const host = new GitHub({ credentials: HUB, apiUrl: local.url });
    expect(done.kind === "complete" && (await host.whoIs(done.token))?.login).toBe("robin");
  });

  test("a device that polls too often is told to slow down, and one that was denied hears so", async () => {
    const local = await localCodeHost(await temporaryFolder());
    const options = { webUrl: local.webUrl, clientId: "Iv1.demo" };
    const hasty = await startDeviceLogin(options);
    await pollDeviceLogin({ ...options, deviceCode: hasty.deviceCode });
    expect((await pollDeviceLogin({ ...options, deviceCode: hasty.deviceCode })).kind).toBe("slow_down");
    const unwanted = await startDeviceLogin(options);
    local.decideDeviceLogin(unwanted.userCode, "deny");
    expect(await pollDeviceLogin({ ...options, deviceCode: unwanted.deviceCode })).toEqual({ kind: "denied" });
  });

  test("a task's token opens its own repository for what it was given, and nothing once it is revoked", async () => {
    const local = await localCodeHost(await temporaryFolder());
    await local.addRepository({ owner: "acme", name: "other", files: { "a.txt": "a\n" } });
    const host = new GitHub({ credentials: APP, apiUrl: local.apiUrl });
    const credential = await host.taskCredential(REPO, { issues: "write" });
    const headers = { authorization: `token ${credential?.token.reveal()}` };
    const openIssueIn = async (repo: string) => {
      const body = JSON.stringify({ title: "From the task" });
      return (await fetch(`${local.url}/repos/${repo}/issues`, { method: "POST", headers, body })).status;
    };
    expect(await openIssueIn(REPO)).toBe(201);
    expect(await openIssueIn("acme/other")).toBe(403);
    if (credential !== undefined) await host.revokeCredential(credential.token);
    expect(await openIssueIn(REPO)).toBe(401);
  });

  test("an app whose token was revoked behind its back gets a new one and goes on", async () => {
    const local = await localCodeHost(await temporaryFolder());
    const host = new GitHub({ credentials: APP, apiUrl: local.apiUrl });
    await host.openIssues(REPO);
    local.failNext({ path: `/repos/${REPO}/issues`, status: 401 });
    expect((await host.openIssues(REPO)).items).toEqual([]);
  });

  test("pages escape what strangers wrote, and allow no script", async () => {
    const local = await localCodeHost(await temporaryFolder());
    await call(local, "POST", `/repos/${REPO}/issues`, { title: "<script>alert(1)</script>", body: "<img src=x>" });
    const device = "/login/device?user_code=%22%3E%3Cb%3E";
    for (const path of ["/", `/${REPO}`, `/${REPO}/issues`, `/${REPO}/issues/1`, device]) {
      const response = await fetch(`${local.url}${path}`);
      expect(response.status, path).toBe(200);
      expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(await response.text(), path).not.toMatch(/<script|<img|"><b>/);
    }
  });

  test("webhooks come signed", async () => {
    const local = await localCodeHost(await temporaryFolder());
    const came = Promise.withResolvers<{ event: string; right: boolean }>();
    const server = createServer((incoming, response) => {
      const parts: Buffer[] = [];
      incoming.on("data", (part: Buffer) => parts.push(part));
      incoming.on("end", () => {
        const signature = String(incoming.headers["x-hub-signature-256"]);
        const right = verifyWebhook(new Secret("hush"), Buffer.concat(parts), signature);
        came.resolve({ event: String(incoming.headers["x-github-event"]), right });
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    toClose.push(async () => server.close());
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
    await call(local, "POST", `/repos/${REPO}/hooks`, { config: { url, secret: "hush" }, events: ["issues"] });
    await call(local, "POST", `/repos/${REPO}/issues`, { title: "News" });
    expect(await came.promise).toEqual({ event: "issues", right: true });
  });

  test("an issue's full address on this host is a closing reference", async () => {
    const local = await localCodeHost(await temporaryFolder());
    const text = `Closes ${local.webUrl}/${REPO}/issues/5`;
    expect(closingReferences(text, REPO, local.webUrl)).toEqual([{ repo: REPO, number: 5 }]);
  });
});

describe("GitHub, spoken to an emulator that others wrote", () => {
  test("lists, single things, logins, app tokens and required checks are understood the same way", async () => {
    const emulator = await createEmulator({
      service: "github",
      port: 0,
      seed: {
        tokens: { ghp_hub: { login: "hub-owner", scopes: ["repo"] } },
        github: {
          users: [{ login: "hub-owner" }],
          orgs: [{ login: "acme", members: [{ login: "hub-owner", role: "admin" }] }],
          repos: [{ owner: "acme", name: "widgets", auto_init: true }],
          apps: [
            {
              app_id: 77,
              slug: "nest-app",
              name: "nest-app",
              private_key: keys.privateKey,
              permissions: { issues: "write", contents: "write" },
              installations: [{ installation_id: 7, account: "acme", repository_selection: "all" }],
            },
          ],
        },
      },
    });
    toClose.push(() => emulator.close());
    for (let number = 1; number <= 101; number += 1)
      await call(emulator, "POST", `/repos/${REPO}/issues`, { title: `Issue ${number}`, labels: ["bug"] });
    const person = new GitHub({ credentials: HUB, apiUrl: emulator.url });
    expect((await person.openIssues(REPO)).items.map((issue) => issue.number)).toHaveLength(101);
    expect((await person.issue(REPO, 3))?.labels).toEqual(["bug"]);
    expect(await person.issue(REPO, 999)).toBeUndefined();
    expect((await person.openPullRequests(REPO)).items).toEqual([]);
    expect(await person.requiredChecks({ repo: REPO, baseRef: "main", headSha: "main" })).toBe("none");
    expect(await person.self()).toBe("hub-owner");
    const app = new GitHub({ credentials: APP, apiUrl: emulator.url });
    expect(await app.self()).toBe("nest-app[bot]");
    expect((await app.openIssues(REPO)).items).toHaveLength(101);
    const credential = await app.taskCredential(REPO, { issues: "write" });
    expect(credential?.expiresAt).toBeGreaterThan(Date.now());
  });
});
