import type { Account } from "@nest/codehost";
import type { Clock, Random, Reading } from "@nest/kit";
import { z } from "zod";
import type { Signer } from "./signer.ts";

export const SESSION_MS = 7 * 24 * 3_600_000;

/** What is kept of somebody who has signed in. */
export interface SessionUser {
  readonly github_username: string;
  /** The code host's ids of the account that signed in last and of the first one that ever signed in with this login. */
  readonly github_id?: number | undefined;
  readonly first_github_id?: number | undefined;
  readonly blocked: boolean;
  /** Sessions that were signed out before they expired. */
  readonly ended_sessions: Readonly<Record<string, number>>;
}

export interface SessionUsers {
  /** Undefined: nobody with this login has ever signed in. What was read at most `maxAgeMs` ago will do. */
  read(login: string, reading?: Reading): Promise<SessionUser | undefined>;
  /** Remembers that somebody has signed in. */
  signedIn(account: Account): Promise<SessionUser>;
  /** Ends one session before it expires at `expiresAt`. */
  endSession(login: string, sid: string, expiresAt: number): Promise<void>;
}

/** `a`: the code host's number of the account; sessions of older releases have none. */
const SessionToken = z.object({
  u: z.string(),
  a: z.number().optional(),
  iat: z.number(),
  exp: z.number(),
  sid: z.string(),
});
type SessionToken = z.infer<typeof SessionToken>;

export interface SignedIn {
  readonly login: string;
  readonly accountId: number | undefined;
  /** The session's id; undefined where the login's cookie alone authenticates. */
  readonly sid: string | undefined;
  /** True for the account that first signed in with this login: what is configured by login is meant for that account. */
  readonly isFirstAccount: boolean;
}

function signedIn(
  { github_username: login, first_github_id: first }: SessionUser,
  accountId: number | undefined,
  sid: string | undefined,
): SignedIn {
  return { login, accountId, sid, isFirstAccount: first === undefined || first === accountId };
}

export interface SessionDeps {
  readonly signer: Signer;
  readonly users: SessionUsers;
  /** Names of the cookies: the session's own, and the one that says the login. */
  readonly cookies: { readonly session: string; readonly user: string };
  readonly clock: Clock;
  readonly random: Random;
  /** True: the user cookie alone authenticates. False: it must come with a signed session of the same login. */
  readonly plainUserCookie: boolean;
}

/** Sessions of signed-in people: a signed cookie, checked against the user's record at each use. */
export class Sessions {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /** Begins a session for somebody who has just proven their login: the value of the session cookie, and who it authenticates. */
  async begin({ login, id }: Account): Promise<{ readonly cookie: string; readonly who: SignedIn }> {
    const { users, clock, random, signer } = this.#deps;
    const user = await users.signedIn({ login, ...(id === undefined ? {} : { id }) });
    const iat = clock.now();
    const sid = random.hex(12);
    const cookie = signer.sign({
      u: login,
      ...(id === undefined ? {} : { a: id }),
      iat,
      exp: iat + SESSION_MS,
      sid,
    } satisfies SessionToken);
    return { cookie, who: signedIn(user, id, sid) };
  }

  /** Who these cookies authenticate; undefined when nobody. */
  async whoIs(cookies: ReadonlyMap<string, string>, reading?: Reading): Promise<SignedIn | undefined> {
    const login = cookies.get(this.#deps.cookies.user);
    if (login === undefined || login === "") return undefined;
    const user = await this.#deps.users.read(login, reading);
    if (user === undefined || user.blocked) return undefined;
    const token = this.#proofOf(cookies.get(this.#deps.cookies.session), user);
    if (token === undefined && !this.#deps.plainUserCookie) return undefined;
    // The plain cookie names no account, so it counts for the account that has the login now.
    return signedIn(user, token === undefined ? user.github_id : token.a, token?.sid);
  }

  /** Ends the session to which these cookies belong. */
  async end(cookies: ReadonlyMap<string, string>): Promise<void> {
    const token = this.#open(cookies.get(this.#deps.cookies.session));
    if (token !== undefined) await this.#deps.users.endSession(token.u, token.sid, token.exp);
  }

  #proofOf(cookie: string | undefined, user: SessionUser): SessionToken | undefined {
    const token = this.#open(cookie);
    if (token === undefined || user.ended_sessions[token.sid] !== undefined) return undefined;
    // A session of an account that had the login before counts for nobody, nor does one of a release that did not record accounts.
    if (user.github_id !== undefined && token.a !== user.github_id) return undefined;
    return token.u.toLowerCase() === user.github_username.toLowerCase() ? token : undefined;
  }

  #open(cookie: string | undefined): SessionToken | undefined {
    if (cookie === undefined) return undefined;
    const token = SessionToken.safeParse(this.#deps.signer.open(cookie));
    return token.success && this.#deps.clock.now() < token.data.exp ? token.data : undefined;
  }
}
