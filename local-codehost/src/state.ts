import { join } from "node:path";
import { type Clock, makePrivateFolder, readTextIfPresent, writeFileAtomic } from "@nest/kit";

/** Everything the local code host knows besides the git objects, as it is written to `state.json`. Times are milliseconds. */
export interface State {
  version: 1;
  nextId: number;
  users: UserRecord[];
  /** By the token itself: this host serves one machine's demo and tests, with tokens that open nothing else. */
  tokens: Record<string, TokenRecord>;
  apps: AppRecord[];
  repositories: RepositoryRecord[];
}

export interface UserRecord {
  readonly id: number;
  readonly login: string;
  readonly type: "User" | "Organization" | "Bot";
}

export interface TokenRecord {
  readonly login: string;
  /** Set for installation tokens: what they are narrowed to. */
  readonly installation?: {
    readonly id: number;
    readonly repositories?: readonly string[];
    readonly permissions: Readonly<Record<string, string>>;
  };
  readonly expiresAt?: number;
}

export interface AppRecord {
  readonly id: number;
  readonly slug: string;
  readonly publicKey: string;
  readonly installations: readonly { readonly id: number; readonly account: string }[];
  readonly permissions: Readonly<Record<string, string>>;
}

export interface CommentRecord {
  readonly id: number;
  readonly author: string;
  body: string;
  readonly createdAt: number;
  updatedAt: number;
}

/** An issue, or the issue side of a pull request: on this platform both share their numbers. */
export interface IssueRecord {
  readonly id: number;
  readonly number: number;
  title: string;
  body: string;
  state: "open" | "closed";
  readonly author: string;
  labels: string[];
  assignees: string[];
  comments: CommentRecord[];
  readonly createdAt: number;
  updatedAt: number;
  closedAt?: number;
  pull?: PullRecord;
}

export interface PullRecord {
  /** `owner/name` of the repository that the head branch is in. */
  readonly headRepo: string;
  readonly headRef: string;
  headSha: string;
  baseRef: string;
  baseSha: string;
  draft: boolean;
  mergedAt?: number;
  mergeSha?: string;
  mergedBy?: string;
}

export interface StatusRecord {
  readonly id: number;
  readonly sha: string;
  readonly context: string;
  readonly state: string;
  readonly description: string;
  readonly creator: string;
  readonly createdAt: number;
}

export interface CheckRunRecord {
  readonly id: number;
  readonly sha: string;
  readonly name: string;
  readonly appId: number;
  status: string;
  conclusion: string | null;
  readonly startedAt: number;
}

export interface HookRecord {
  readonly id: number;
  readonly url: string;
  readonly secret: string;
  readonly events: readonly string[];
}

export interface RepositoryRecord {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  description: string;
  readonly private: boolean;
  readonly defaultBranch: string;
  /** Who may push and label; everybody with a login where absent. */
  readonly writers?: readonly string[];
  nextNumber: number;
  issues: IssueRecord[];
  labels: { readonly name: string; readonly color: string }[];
  /** Required contexts by branch. */
  protection: Record<string, { readonly contexts: readonly string[] }>;
  rules: { readonly branch: string; readonly contexts: readonly string[] }[];
  statuses: StatusRecord[];
  checkRuns: CheckRunRecord[];
  hooks: HookRecord[];
}

/** The state in memory, and its file. */
export class Store {
  readonly state: State;
  readonly dataDir: string;
  readonly clock: Clock;
  #writing: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(state: State, dataDir: string, clock: Clock) {
    this.state = state;
    this.dataDir = dataDir;
    this.clock = clock;
  }

  /** The state of an earlier run, or undefined where there is none. */
  static async load(dataDir: string): Promise<State | undefined> {
    await makePrivateFolder(dataDir);
    const text = await readTextIfPresent(join(dataDir, "state.json"));
    return text === undefined ? undefined : (JSON.parse(text) as State);
  }

  nextId(): number {
    const id = this.state.nextId;
    this.state.nextId += 1;
    return id;
  }

  repository(owner: string, name: string): RepositoryRecord | undefined {
    const wanted = `${owner}/${name}`.toLowerCase();
    return this.state.repositories.find((repo) => fullName(repo).toLowerCase() === wanted);
  }

  user(login: string): UserRecord {
    const known = this.state.users.find((user) => user.login.toLowerCase() === login.toLowerCase());
    if (known !== undefined) return known;
    const made: UserRecord = { id: this.nextId(), login, type: login.endsWith("[bot]") ? "Bot" : "User" };
    this.state.users.push(made);
    return made;
  }

  /** Resolves when all that was changed before the call is on disk. Writes that are asked for together become one. */
  save(): Promise<void> {
    if (this.#writing === undefined) {
      this.#writing = this.#write();
      return this.#writing;
    }
    this.#next ??= this.#writing.then(
      () => this.#write(),
      () => this.#write(),
    );
    return this.#next;
  }

  async #write(): Promise<void> {
    this.#writing = this.#next ?? this.#writing;
    this.#next = undefined;
    try {
      await writeFileAtomic(join(this.dataDir, "state.json"), JSON.stringify(this.state));
    } finally {
      if (this.#next === undefined) this.#writing = undefined;
    }
  }
}

export function fullName(repo: Pick<RepositoryRecord, "owner" | "name">): string {
  return `${repo.owner}/${repo.name}`;
}
