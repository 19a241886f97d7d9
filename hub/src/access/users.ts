import { join } from "node:path";
import type { Account } from "@nest/codehost";
import { type Clock, KeyedLock, LiveFolder, makePrivateFolder, type Reading, writeFileAtomic } from "@nest/kit";
import { z } from "zod";

/** A user of the hub as kept in `<data>/saas/users/<login>.json`; keys of others are kept. */
export const UserRecord = z.looseObject({
  github_username: z.string(),
  created_at: z.string().optional(),
  last_login: z.string().optional(),
  /** The code host's number of the account that signed in last, and of the one that ever did first. */
  github_id: z.number().optional(),
  first_github_id: z.number().optional(),
  /** Role by instance. */
  nests: z.record(z.string(), z.string()).default({}),
  /** Absent: unlimited. */
  saas_quota: z.number().optional(),
  blocked: z.boolean().default(false),
  /** Sessions that were ended before their time, until when they would have lived. */
  ended_sessions: z.record(z.string(), z.number()).default({}),
});
export type UserRecord = z.infer<typeof UserRecord>;

/** Whether a text can be a login. */
export function isLogin(text: string): boolean {
  return LOGIN.test(text);
}

/** Users beyond the files of one data directory, by login in lower case. */
export interface SharedUserRecords {
  read(login: string): unknown;
  /** Everybody whom the replicas know together. */
  logins(): readonly string[];
  /** Changes one, durably, in one step with whoever else changes it. */
  change(login: string, change: (before: unknown) => UserRecord): Promise<void>;
}

/** A list of everybody asks the disk for a file at most this often. */
const LISTED_MS = 2000;
const LOGIN = /^[A-Za-z0-9](?:[A-Za-z0-9-_.]{0,98}[A-Za-z0-9_])?$/;

/**
 * The hub's users: files read live, written whole, one change of a user after the other. Where replicas share their state, what
 * they know together comes first; a file that blocks somebody, or ends a session, holds at the replica that has it.
 */
export class UserStore {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #shared: SharedUserRecords | undefined;
  readonly #lock = new KeyedLock();
  readonly #files: LiveFolder<UserRecord>;

  constructor(dataDir: string, clock: Clock, shared?: SharedUserRecords) {
    this.#folder = join(dataDir, "saas", "users");
    this.#files = new LiveFolder({ folder: this.#folder, ending: ".json", parse: userOf, clock });
    this.#clock = clock;
    this.#shared = shared;
  }

  /** A user by login, in any case; undefined when there is none or the file is not one. */
  async read(login: string, reading: Reading = {}): Promise<UserRecord | undefined> {
    const file = LOGIN.test(login) ? await this.#files.read(login, reading) : undefined;
    return together(file, this.#shared?.read(login.toLowerCase()));
  }

  /** Everybody who has signed in, by login. */
  async all(): Promise<UserRecord[]> {
    const logins = new Map<string, string>();
    for (const login of [...(this.#shared?.logins() ?? []), ...(await this.#files.names())])
      if (LOGIN.test(login)) logins.set(login.toLowerCase(), login);
    const users: UserRecord[] = [];
    for (const login of [...logins.keys()].sort()) {
      const user = await this.read(login, { maxAgeMs: LISTED_MS });
      if (user !== undefined) users.push(user);
    }
    return users;
  }

  /**
   * Remembers that somebody has signed in; makes the user when there is none. An account that took over a login which another
   * gave up begins anew: roles, quota and sessions of that other are not its own.
   */
  async signedIn({ login, id }: Account): Promise<UserRecord> {
    const now = new Date(this.#clock.now()).toISOString();
    return this.change(login, (user) => {
      const first = user.first_github_id ?? id;
      const firstOf = first === undefined ? {} : { first_github_id: first };
      if (id === undefined) return { created_at: now, ...user, last_login: now };
      const isSuccessor = user.github_id !== undefined && user.github_id !== id;
      const own = isSuccessor ? UserRecord.parse({ github_username: login }) : user;
      return { created_at: now, ...own, last_login: now, github_id: id, ...firstOf };
    });
  }

  /** Ends one session before its time. */
  async endSession(login: string, sid: string, expiresAt: number): Promise<void> {
    const now = this.#clock.now();
    await this.change(login, (user) => {
      const living = Object.entries(user.ended_sessions).filter(([, until]) => until > now);
      return { ...user, ended_sessions: { ...Object.fromEntries(living), [sid]: expiresAt } };
    });
  }

  /** Changes a user's record, after every change of it that was asked for before. */
  change(login: string, change: (user: UserRecord) => UserRecord): Promise<UserRecord> {
    return this.#lock.run(login.toLowerCase(), () => this.#change(login, change));
  }

  async #change(login: string, change: (user: UserRecord) => UserRecord): Promise<UserRecord> {
    if (!LOGIN.test(login)) throw new Error("not a login");
    const name = (await this.#files.spelling(login)) ?? login;
    const file = await this.#files.read(name);
    const changed = (known: unknown) => change(together(file, known) ?? UserRecord.parse({ github_username: login }));
    let after = file;
    if (this.#shared === undefined) after = changed(undefined);
    else await this.#shared.change(login.toLowerCase(), (known) => (after = changed(known)));
    if (after === undefined) throw new Error("the user was not changed");
    await makePrivateFolder(this.#folder);
    await writeFileAtomic(this.#path(name), `${JSON.stringify(after, null, 2)}\n`);
    this.#files.forget(name);
    return after;
  }

  #path(name: string): string {
    return join(this.#folder, `${name}.json`);
  }
}

/** What a user's file says. One that names somebody else than it is called after is nobody's. */
function userOf(name: string, text: string): UserRecord | undefined {
  try {
    const record = UserRecord.parse({ github_username: name, ...JSON.parse(text) });
    return record.github_username.toLowerCase() === name.toLowerCase() ? record : undefined;
  } catch {
    return undefined;
  }
}

/** A user's file and what replicas know of them together, as one record. */
function together(file: UserRecord | undefined, known: unknown): UserRecord | undefined {
  const shared = UserRecord.safeParse(known);
  if (!shared.success) return file;
  if (file === undefined) return shared.data;
  return {
    ...file,
    ...shared.data,
    blocked: file.blocked || shared.data.blocked,
    ended_sessions: { ...file.ended_sessions, ...shared.data.ended_sessions },
  };
}
