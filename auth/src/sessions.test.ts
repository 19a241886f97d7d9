import { seededRandom, VirtualClock } from "@nest/kit";
import { beforeEach, expect, test } from "vitest";
import { SESSION_MS, Sessions, type SessionUser, type SessionUsers } from "./sessions.ts";
import { Signer } from "./signer.ts";

const cookieNames = { session: "nest_session", user: "nest_user" };
const signer = new Signer(Buffer.alloc(32, 7), "session");

/** Users in memory, each login one record. */
class Users implements SessionUsers {
  readonly #records = new Map<string, SessionUser>();

  async read(login: string): Promise<SessionUser | undefined> {
    return this.#records.get(login);
  }

  async signedIn({ login, id }: { readonly login: string; readonly id?: number }): Promise<SessionUser> {
    const first = this.#records.get(login)?.first_github_id ?? id;
    return this.set({
      github_username: login,
      github_id: id,
      first_github_id: first,
      blocked: false,
      ended_sessions: {},
    });
  }

  async endSession(login: string, sid: string, expiresAt: number): Promise<void> {
    const user = this.#records.get(login);
    if (user !== undefined) this.set({ ...user, ended_sessions: { ...user.ended_sessions, [sid]: expiresAt } });
  }

  set(user: SessionUser): SessionUser {
    this.#records.set(user.github_username, user);
    return user;
  }
}

let clock: VirtualClock;
let users: Users;
let sessions: Sessions;
beforeEach(() => {
  clock = new VirtualClock();
  users = new Users();
  sessions = make(false);
});

function make(plainUserCookie: boolean): Sessions {
  return new Sessions({ signer, users, cookies: cookieNames, clock, random: seededRandom(1), plainUserCookie });
}

/** The cookies of somebody who signs in now. */
async function signIn(login: string, id: number): Promise<Map<string, string>> {
  const { cookie } = await sessions.begin({ login, id });
  return new Map([
    [cookieNames.session, cookie],
    [cookieNames.user, login],
  ]);
}

test("a session proves its login for 7 days and no longer", async () => {
  const cookies = await signIn("ada", 1);
  await clock.jump(SESSION_MS - 1);
  expect(await sessions.whoIs(cookies)).toMatchObject({ login: "ada", accountId: 1, isFirstAccount: true });
  await clock.jump(1);
  expect(await sessions.whoIs(cookies)).toBeUndefined();
});

test("an ended session authenticates nobody, and other sessions of the same person go on", async () => {
  const [one, other] = [await signIn("ada", 1), await signIn("ada", 1)];
  await sessions.end(one);
  expect(await sessions.whoIs(one)).toBeUndefined();
  expect(await sessions.whoIs(other)).toMatchObject({ login: "ada" });
});

test("a session proves no other login than its own", async () => {
  const cookies = await signIn("ada", 1);
  await signIn("bob", 2);
  expect(await sessions.whoIs(new Map(cookies).set(cookieNames.user, "bob"))).toBeUndefined();
});

test("a blocked user is signed out from the next request on", async () => {
  const cookies = await signIn("ada", 1);
  users.set({ github_username: "ada", github_id: 1, first_github_id: 1, blocked: true, ended_sessions: {} });
  expect(await sessions.whoIs(cookies)).toBeUndefined();
});

test("a session ends when another account takes over its login, and that account does not count as the login's first", async () => {
  const before = await signIn("ada", 1);
  const after = await signIn("ada", 99);
  expect(await sessions.whoIs(before)).toBeUndefined();
  expect(await sessions.whoIs(after)).toMatchObject({ login: "ada", accountId: 99, isFirstAccount: false });
});

test("the user cookie alone authenticates only where the operator allows that", async () => {
  await signIn("ada", 1);
  const alone = new Map([[cookieNames.user, "ada"]]);
  expect(await sessions.whoIs(alone)).toBeUndefined();
  expect(await make(true).whoIs(alone)).toMatchObject({ login: "ada", accountId: 1 });
  expect(await make(true).whoIs(new Map([[cookieNames.user, "eve"]]))).toBeUndefined();
});
