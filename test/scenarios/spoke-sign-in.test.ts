import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SpokeHere } from "../harness/spoke-here.ts";
import { signedIn, standaloneSpoke } from "../harness/standalone-spoke.ts";
import { VisitorHere } from "../harness/visitor-here.ts";

const REJECTED = "device-flow login rejected: user not authorized for this nest";
const HTML = { accept: "text/html" };

describe("a nest without a hub in front signs people in by device flow", { timeout: 90_000 }, () => {
  let spoke: SpokeHere;
  beforeAll(async () => {
    spoke = await standaloneSpoke(["Ada", "rob:read", "may:merger", "wren:read-write"], {
      NEST_AUTHORIZED_USERS: "env-owner:owner,odd:king,:owner",
    });
  }, 60_000);
  afterAll(() => spoke[Symbol.asyncDispose]());

  const audit = async () => readFile(join(spoke.dataFolder, "audit.jsonl"), "utf8");

  test("an owner signs in and does everything, backup included", async () => {
    const ada = await signedIn(spoke, "ada");
    expect((await ada.ask("GET", "/api/gh-user-auth/status")).body).toEqual({
      logged_in: true,
      username: "ada",
      role: "owner",
      by: "device",
      may: { read: true, operate: true, configure: true },
    });
    expect((await ada.ask("GET", "/")).text).toContain("secret-plans");
    const key = { encryptionKey: "a".repeat(64) };
    expect((await ada.ask("PUT", "/api/config/governor/backup", key)).status).toBe(200);
    expect((await ada.ask("GET", "/api/backup/status")).body).toMatchObject({ available: true });
    const backup = await ada.ask("POST", "/api/backup");
    expect([backup.status, backup.headers.get("x-nest-backup-encrypted")]).toEqual([200, "aes-256-gcm"]);
    expect((await ada.ask("POST", "/api/agents/scanner/pause", {})).status).toBe(200);
    expect(await audit()).toMatch(/"actor":"ada","action":"signed in","after":\{"role":"owner"\}/);
  });

  test.each([
    ["rob", "read", [true, false, false]],
    ["wren", "read-write", [true, true, false]],
    ["may", "merger", [true, true, false]],
    ["env-owner", "owner", [true, true, true]],
  ])("%s has the role %s and what belongs to it", async (login, role, [read, operate, configure]) => {
    const visitor = await signedIn(spoke, login);
    const { body } = await visitor.ask("GET", "/api/gh-user-auth/status");
    expect(body).toMatchObject({ username: login, role, may: { read, operate, configure } });
    expect((await visitor.ask("GET", "/api/backup/status")).status).toBe(configure ? 200 : 403);
    expect((await visitor.ask("POST", "/api/agents/scanner/resume", {})).status).toBe(operate ? 200 : 403);
  });

  test.each(["mallory", "odd"])(
    "%s, who is not authorized, is refused in the words of the spec, and it is audited",
    async (login) => {
      const visitor = new VisitorHere(spoke.url);
      expect(await visitor.signIn(spoke, login)).toEqual({ status: "error", username: login, error: REJECTED });
      expect([...visitor.cookies.keys()]).toEqual([]);
      expect((await visitor.ask("GET", "/api/backup/status")).status).toBe(401);
      expect(spoke.process.said).toContain(`"login":"${login}"`);
      expect(spoke.process.said).toContain(REJECTED);
      expect(await audit()).toContain(`"actor":"${login}","action":"login_denied"`);
    },
  );

  test("two people who sign in at once get a session each, with their own role", async () => {
    const [one, other] = [new VisitorHere(spoke.url), new VisitorHere(spoke.url)];
    const codes = [await one.begin(), await other.begin()];
    expect(codes[0]).not.toBe(codes[1]);
    spoke.codeHost.decideDeviceLogin(codes[1] ?? "", { login: "rob" });
    expect(await other.finish()).toEqual({ status: "complete", username: "rob", role: "read" });
    expect((await one.ask("POST", "/api/gh-user-auth/poll")).body.status).toMatch(/pending|slow_down/);
    spoke.codeHost.decideDeviceLogin(codes[0] ?? "", { login: "may" });
    expect(await one.finish()).toEqual({ status: "complete", username: "may", role: "merger" });
  });

  test("two windows of one browser show the same code, and both are signed in by it", async () => {
    const browser = new VisitorHere(spoke.url);
    const code = await browser.begin();
    expect(await browser.begin()).toBe(code);
    spoke.codeHost.decideDeviceLogin(code, { login: "rob" });
    expect(await browser.finish()).toMatchObject({ status: "complete" });
    expect((await browser.ask("POST", "/api/gh-user-auth/poll")).body).toMatchObject({ username: "rob" });
  });

  test("who declines at the code host is told so, and may begin again with a new code", async () => {
    const browser = new VisitorHere(spoke.url);
    const code = await browser.begin();
    spoke.codeHost.decideDeviceLogin(code, "deny");
    expect(await browser.finish()).toMatchObject({ status: "error", error: expect.stringContaining("declined") });
    expect(await browser.begin()).not.toBe(code);
  });

  test("the session's cookie is out of reach of scripts and of other sites, and goes over https alone where the page came so", async () => {
    const browser = new VisitorHere(spoke.url);
    spoke.codeHost.decideDeviceLogin(await browser.begin(), { login: "rob" });
    let cookie = "";
    const poll = async () => {
      const { headers } = await browser.ask("POST", "/api/gh-user-auth/poll");
      cookie = headers.getSetCookie().find((one) => one.startsWith("nest_session=")) ?? "";
      return cookie;
    };
    await expect.poll(poll, { timeout: 20_000, interval: 300 }).not.toBe("");
    expect(cookie).toMatch(/^nest_session=[0-9a-f]{64}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  test("sessions outlive a restart, in a file that only the nest can read and that does not let its reader in", async () => {
    const rob = await signedIn(spoke, "rob");
    const file = join(spoke.dataFolder, "dashboard-sessions.json");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, "utf8")).not.toContain(rob.cookies.get("nest_session"));
    await spoke.kill();
    await spoke.startAgain();
    const again = new VisitorHere(spoke.url);
    again.setCookie("nest_session", rob.cookies.get("nest_session") ?? "");
    expect((await again.ask("GET", "/api/gh-user-auth/status")).body).toMatchObject({ username: "rob", role: "read" });
  });

  test("a page for people with a role leads a stranger to the sign-in and back, and the sign-in leads nowhere else", async () => {
    const stranger = new VisitorHere(spoke.url);
    const page = await stranger.ask("GET", "/terminal/?arg=nest-scanner", undefined, HTML);
    expect([page.status, page.headers.get("location")]).toEqual([
      302,
      `/sign-in?to=${encodeURIComponent("/terminal/?arg=nest-scanner")}`,
    ]);
    const signIn = await stranger.ask("GET", page.headers.get("location") ?? "", undefined, HTML);
    expect([signIn.status, signIn.text]).toEqual([
      200,
      expect.stringContaining('data-to="/terminal/?arg=nest-scanner"'),
    ]);
    const elsewhere = await stranger.ask("GET", "/sign-in?to=//evil.example", undefined, HTML);
    expect(elsewhere.text).not.toContain("evil.example");
    expect((await stranger.ask("GET", "/", undefined, HTML)).text).not.toContain("secret-plans");
  });
});

describe("grants", { timeout: 90_000 }, () => {
  let spoke: SpokeHere;
  beforeAll(async () => {
    spoke = await standaloneSpoke(["ada:owner", "rob:read"]);
  }, 60_000);
  afterAll(() => spoke[Symbol.asyncDispose]());
  const grants = (visitor: VisitorHere, users: readonly string[]) =>
    visitor.ask("PUT", "/api/config/authorized-users", { users });

  test("a grant is in the overlay at once, in force at once, and audited with what was before", async () => {
    const [ada, rob] = [await signedIn(spoke, "ada"), await signedIn(spoke, "rob")];
    const answer = await grants(ada, ["ada:owner", "rob:merger", "New-Hand"]);
    expect([answer.status, answer.body]).toEqual([
      200,
      { ok: true, users: ["ada:owner", "rob:merger", "New-Hand:read"], takes_effect: "now" },
    ]);
    expect(await readFile(join(spoke.dataFolder, "nest.yaml.dashboard"), "utf8")).toMatch(
      /authorized_users.*New-Hand:read/s,
    );
    expect((await rob.ask("GET", "/api/gh-user-auth/status")).body.role).toBe("merger");
    await signedIn(spoke, "new-hand");
    expect(await readFile(join(spoke.dataFolder, "audit.jsonl"), "utf8")).toContain(
      '"action":"authorized users changed","before":["ada:owner","rob:read"],"after":["ada:owner","rob:merger","New-Hand:read"]',
    );
  });

  test("who is taken off the list is signed out at once, and stays so when they are granted again", async () => {
    const [ada, rob] = [await signedIn(spoke, "ada"), await signedIn(spoke, "rob")];
    await grants(ada, ["ada:owner"]);
    expect((await rob.ask("GET", "/api/gh-user-auth/status")).body.logged_in).toBe(false);
    await grants(ada, ["ada:owner", "rob:owner"]);
    expect((await rob.ask("GET", "/api/gh-user-auth/status")).body.logged_in).toBe(false);
  });

  test("the last owner stays", async () => {
    const ada = await signedIn(spoke, "ada");
    for (const users of [[], ["ada:read"], ["rob:merger"]]) {
      const { status, body } = await grants(ada, users);
      expect([status, body.code]).toEqual([409, "last_owner"]);
    }
    expect((await ada.ask("GET", "/api/backup/status")).status).toBe(200);
  });

  test.each([
    ["ada:owner", "x:king"],
    ["ada:owner", "ADA:read"],
    ["ada:owner", ""],
    ["ada:owner", "a:b:c"],
    ["ada:owner", "<b>:read"],
  ])("a list with %s and %s is refused, and names the entry", async (...users) => {
    const ada = await signedIn(spoke, "ada");
    const { status, body } = await grants(ada, users);
    expect([status, body.error]).toEqual([400, expect.stringMatching(/^users\.1: /)]);
  });

  test("only an owner grants", async () => {
    const ada = await signedIn(spoke, "ada");
    await grants(ada, ["ada:owner", "may:merger"]);
    expect((await grants(await signedIn(spoke, "may"), ["may:owner"])).status).toBe(403);
    expect((await grants(new VisitorHere(spoke.url), ["may:owner"])).status).toBe(401);
  });

  test("grants work after a restart too", async () => {
    const ada = await signedIn(spoke, "ada");
    await grants(ada, ["ada:owner", "late:read-write"]);
    await spoke.kill();
    await spoke.startAgain();
    expect((await (await signedIn(spoke, "late")).ask("GET", "/api/gh-user-auth/status")).body.role).toBe("read-write");
  });
});
