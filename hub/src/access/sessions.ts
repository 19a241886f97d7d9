import type { Clock, Random } from "@nest/kit";
import { z } from "zod";
import type { Signer } from "./signer.ts";
import type { UserRecord, UserStore } from "./users.ts";

/** A session lives 7 days (contract §8). */
export const SESSION_MS = 7 * 24 * 3_600_000;
export const SESSION_COOKIE = "nest_hub_session";
export const USER_COOKIE = "nest_hub_user";

const SessionToken = z.object({ u: z.string(), iat: z.number(), exp: z.number(), sid: z.string() });
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
  async begin(login: string): Promise<string> {
    const { users, clock, random, signer } = this.#parts;
    await users.signedIn(login);
    const iat = clock.now();
    return signer.sign({ u: login, iat, exp: iat + SESSION_MS, sid: random.hex(12) } satisfies SessionToken);
  }

  /** The login that these cookies prove; undefined when they prove none. */
  async loginOf(cookies: ReadonlyMap<string, string>): Promise<string | undefined> {
    const login = cookies.get(USER_COOKIE);
    if (login === undefined || login === "") return undefined;
    const user = await this.#parts.users.read(login);
    if (user === undefined || user.blocked) return undefined;
    if (this.#parts.plainUserCookie) return user.github_username;
    return this.#proves(cookies.get(SESSION_COOKIE), user) ? user.github_username : undefined;
  }

  /** Ends the session that these cookies are of. */
  async end(cookies: ReadonlyMap<string, string>): Promise<void> {
    const token = this.#open(cookies.get(SESSION_COOKIE));
    if (token !== undefined) await this.#parts.users.endSession(token.u, token.sid, token.exp);
  }

  #proves(cookie: string | undefined, user: UserRecord): boolean {
    const token = this.#open(cookie);
    if (token === undefined) return false;
    return token.u.toLowerCase() === user.github_username.toLowerCase() && user.ended_sessions[token.sid] === undefined;
  }

  #open(cookie: string | undefined): SessionToken | undefined {
    if (cookie === undefined) return undefined;
    const token = SessionToken.safeParse(this.#parts.signer.open(cookie));
    return token.success && this.#parts.clock.now() < token.data.exp ? token.data : undefined;
  }
}
