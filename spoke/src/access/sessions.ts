import { join } from "node:path";
import { SESSION_MS, tokenDigest } from "@nest/auth";
import type { Account } from "@nest/codehost";
import { type CancelTimer, type Clock, type Random, readTextIfPresent, writeFileAtomic } from "@nest/kit";
import { z } from "zod";

/** Live sessions; no backup holds them (spec: Spoke backup archive). */
const FILE_NAME = "dashboard-sessions.json";
/** How often a write that the disk refused is tried again. */
const RETRY_MS = 5000;
const TOKEN_BYTES = 32;
/** Sessions of one login; the oldest ends when there is one more. */
const MOST_OF_ONE = 20;

const Session = z.object({
  /** SHA-256 of the token: who reads the file cannot sign in with it. */
  digest: z.string(),
  login: z.string(),
  /** The code host's number of the account. */
  account: z.number().optional(),
  begun_at: z.number(),
  expires_at: z.number(),
});
type Session = z.infer<typeof Session>;

const SessionFile = z.object({
  sessions: z.array(Session),
  /** The account that first signed in with each login: the grant was meant for it, whoever has the login later. */
  accounts: z.record(z.string(), z.number()),
});

export interface SessionsDeps {
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** The sessions of this nest's own sign-in: random tokens, kept over restarts, each of them revocable. */
export class NestSessions {
  readonly #deps: SessionsDeps;
  readonly #sessions = new Map<string, Session>();
  readonly #accounts = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  #written: Promise<void> = Promise.resolve();
  /** Whether the file says something else than what is in force here. */
  #isStale = false;
  #stopRetrying: CancelTimer | undefined;

  private constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  /** Reads what is kept. A file that cannot be read as sessions counts as none: everybody signs in again. */
  static async open(deps: SessionsDeps): Promise<NestSessions> {
    const opened = new NestSessions(deps);
    const file = SessionFile.safeParse(jsonOf(await readTextIfPresent(join(deps.dataFolder, FILE_NAME))));
    if (!file.success) return opened;
    for (const session of file.data.sessions) opened.#sessions.set(session.digest, session);
    for (const [login, account] of Object.entries(file.data.accounts)) opened.#accounts.set(login, account);
    return opened;
  }

  /** Whether somebody else's account was the first to sign in with this login: the login has changed hands since. */
  isTakenOver({ login, id }: Account): boolean {
    const first = this.#accounts.get(login.toLowerCase());
    return first !== undefined && first !== id;
  }

  /** Begins a session: its token, which is never used twice and kept nowhere here. Durable when it returns. */
  async begin({ login, id }: Account): Promise<string> {
    const { clock, random } = this.#deps;
    const token = random.hex(TOKEN_BYTES);
    const now = clock.now();
    const session = { digest: tokenDigest(token), login, begun_at: now, expires_at: now + SESSION_MS };
    this.#forgetExpired(now);
    const others = [...this.#sessions.values()].filter((one) => isOf(one, login));
    for (const { digest } of others.slice(0, Math.max(0, others.length - MOST_OF_ONE + 1)))
      this.#sessions.delete(digest);
    this.#sessions.set(session.digest, { ...session, ...(id === undefined ? {} : { account: id }) });
    if (id !== undefined && !this.#accounts.has(login.toLowerCase())) this.#accounts.set(login.toLowerCase(), id);
    await this.#save();
    return token;
  }

  /** Whom a token authenticates now; undefined when nobody. */
  loginOf(token: string | undefined): string | undefined {
    if (token === undefined) return undefined;
    const session = this.#sessions.get(tokenDigest(token));
    return session !== undefined && this.#deps.clock.now() < session.expires_at ? session.login : undefined;
  }

  /**
   * Ends the session of a token, here and in every place that watches. Durable when it returns; where the disk refuses it, the session
   * has ended all the same, and is written down as soon as the disk takes it.
   *
   * @throws the system's error where it is not on disk yet.
   */
  async end(token: string | undefined): Promise<void> {
    if (token === undefined || !this.#sessions.delete(tokenDigest(token))) return;
    this.#tell();
    await this.#save();
  }

  /** Forgets everybody who may not sign in any more: signing in again begins anew, with whatever account has the login then. */
  async keepOnly(maySignIn: (login: string) => boolean): Promise<void> {
    const before = this.#sessions.size + this.#accounts.size;
    for (const [digest, { login }] of this.#sessions) if (!maySignIn(login)) this.#sessions.delete(digest);
    for (const login of this.#accounts.keys()) if (!maySignIn(login)) this.#accounts.delete(login);
    this.#tell();
    if (this.#sessions.size + this.#accounts.size !== before) await this.#save();
  }

  /** Calls back when sessions have ended or rights may have changed. */
  onEnd(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Resolves when everything is on disk; what the disk refused before is tried once more. @throws the system's error then. */
  async settled(): Promise<void> {
    await this.#written.catch(() => undefined);
    this.#stopRetrying?.();
    if (this.#isStale) await this.#save();
    this.#stopRetrying?.();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #forgetExpired(now: number): void {
    for (const [digest, session] of this.#sessions) if (now >= session.expires_at) this.#sessions.delete(digest);
  }

  #save(): Promise<void> {
    this.#isStale = true;
    const write = async () => {
      const kept = { sessions: [...this.#sessions.values()], accounts: Object.fromEntries(this.#accounts) };
      this.#isStale = false;
      await writeFileAtomic(join(this.#deps.dataFolder, FILE_NAME), `${JSON.stringify(kept)}\n`).catch((thrown) => {
        this.#isStale = true;
        this.#retryLater();
        throw thrown;
      });
    };
    // One after the other, whether or not the one before succeeded: each writes the whole.
    this.#written = this.#written.then(write, write);
    return this.#written;
  }

  /** What has ended here must not come back with the next start, however long the disk refuses it. */
  #retryLater(): void {
    this.#stopRetrying?.();
    this.#stopRetrying = this.#deps.clock.after(RETRY_MS, () => {
      // A write that fails again comes back here by itself.
      if (this.#isStale) this.#save().catch(() => undefined);
    });
  }
}

function isOf(session: Session, login: string): boolean {
  return session.login.toLowerCase() === login.toLowerCase();
}

function jsonOf(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
