import type { Account } from "@nest/codehost";
import type { Clock, Random } from "@nest/kit";
import { z } from "zod";
import type { Signer } from "./signer.ts";
import type { UserRecord, UserStore } from "./users.ts";

/** A session lives 7 days (contract §8). */
export const SESSION_MS = 7 * 24 * 3_600_000;
export const SESSION_COOKIE = "nest_hub_session";
export const USER_COOKIE = "nest_hub_user";

/** `a`: the code host's number of the account; sessions of older releases have none. */
const SessionToken = z.object({
  u: z.string(),
  a: z.number().optional(),
  iat: z.number(),
  exp: z.number(),
  sid: z.string(),
});
type SessionToken = z.infer<typeof SessionToken>;

export interface SessionParts {
  readonly signer: Signer;
  readonly users: UserStore;
  readonly clock: Clock;
  readonly random: Random;
  /** `nest_hub_user` alone authenticates, as the spec has it; else it must come with a signed session of the same login. */
  readonly plainUserCookie: boolean;
}

/** Sessions of signed-in people: a signed cookie, checked against the user's record at each use. */
export class Sessions {
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** A session of somebody who has just proven their login; answers with what the session cookie holds. */
  async begin({ login, id }: Account): Promise<string> {
    const { users, clock, random, signer } = this.#parts;
    await users.signedIn(login);
    const iat = clock.now();
    return signer.sign({
      u: login,
      ...(id === undefined ? {} : { a: id }),
      iat,
      exp: iat + SESSION_MS,
      sid: random.hex(12),
    } satisfies SessionToken);
  }

  /** Whom these cookies prove; undefined when they prove nobody. */
  async whoIs(
    cookies: ReadonlyMap<string, string>,
  ): Promise<{ readonly login: string; readonly accountId: number | undefined } | undefined> {
    const login = cookies.get(USER_COOKIE);
    if (login === undefined || login === "") return undefined;
    const user = await this.#parts.users.read(login);
    if (user === undefined || user.blocked) return undefined;
    const token = this.#proofOf(cookies.get(SESSION_COOKIE), user);
    if (token === undefined && !this.#parts.plainUserCookie) return undefined;
    return { login: user.github_username, accountId: token?.a };
  }

  /** Ends the session that these cookies are of. */
  async end(cookies: ReadonlyMap<string, string>): Promise<void> {
    const token = this.#open(cookies.get(SESSION_COOKIE));
    if (token !== undefined) await this.#parts.users.endSession(token.u, token.sid, token.exp);
  }

  #proofOf(cookie: string | undefined, user: UserRecord): SessionToken | undefined {
    const token = this.#open(cookie);
    if (token === undefined || user.ended_sessions[token.sid] !== undefined) return undefined;
    return token.u.toLowerCase() === user.github_username.toLowerCase() ? token : undefined;
  }

  #open(cookie: string | undefined): SessionToken | undefined {
    if (cookie === undefined) return undefined;
    const token = SessionToken.safeParse(this.#parts.signer.open(cookie));
    return token.success && this.#parts.clock.now() < token.data.exp ? token.data : undefined;
  }
}
