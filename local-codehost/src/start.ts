import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Clock, makePrivateFolder, NestError, type Random, systemRandom } from "@nest/kit";
import { addIssue } from "./api-issues.ts";
import { DeviceFlow } from "./device-flow.ts";
import { GitRepositories } from "./git-repositories.ts";
import { Platform } from "./platform.ts";
import { type ScriptedFailure, ScriptedFailures } from "./scripted-failures.ts";
import type { Seed, SeedRepository } from "./seed.ts";
import { buildServer } from "./server.ts";
import { fullName, type RepositoryRecord, type State, Store } from "./state.ts";

export interface LocalCodeHostOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Loopback, the default, or another address of this machine's own: for pods that run on it. */
  readonly address?: string;
  readonly dataDir: string;
  /** What the data directory does not hold yet of its repositories is made; its tokens and apps are added in any case. */
  readonly seed: Seed;
  readonly clock: Clock;
  readonly random?: Random;
  /** Seconds between the polls of a device sign-in; 1. */
  readonly deviceIntervalSeconds?: number;
}

export interface LocalCodeHost {
  /** API and web base in one: `http://127.0.0.1:P`, unless another address was asked for. */
  readonly url: string;
  readonly apiUrl: string;
  readonly webUrl: string;
  /** Makes a token for a login; the login need not have been known before. */
  addToken(login: string, token?: string): Promise<string>;
  /** Adds a repository to a running host. */
  addRepository(repository: SeedRepository): Promise<void>;
  /** The next requests that fit fail as told; for tests. */
  failNext(failure: ScriptedFailure): void;
  /** Does what a person does on the page of the device sign-in. False when no sign-in waits for this code. */
  decideDeviceLogin(userCode: string, decision: { readonly login: string } | "deny"): boolean;
  /** Requires checks of a branch, by a ruleset. */
  requireByRuleset(repo: string, branch: string, contexts: readonly string[]): Promise<void>;
  /** Stops listening when what is under way is done; everything is on disk. */
  close(): Promise<void>;
}

const LABELS = [
  { name: "bug", color: "d73a4a" },
  { name: "documentation", color: "0075ca" },
  { name: "enhancement", color: "a2eeef" },
  { name: "good first issue", color: "7057ff" },
];
const MINUTE_MS = 60_000;
const APP_PERMISSIONS = {
  metadata: "read",
  contents: "write",
  issues: "write",
  pull_requests: "write",
  checks: "write",
  statuses: "write",
};

/**
 * Starts a code-hosting platform on this machine, for the demo and for tests: the API, the pages and git over HTTP at one address,
 * open to loopback only unless another one is named. Started again on the same data directory, it goes on where it was.
 *
 * @throws NestError local_codehost_port when the port is taken
 */
export async function startLocalCodeHost(options: LocalCodeHostOptions): Promise<LocalCodeHost> {
  const { clock, dataDir, seed, address = "127.0.0.1" } = options;
  const earlier = await Store.load(dataDir);
  const store = new Store(earlier ?? emptyState(), dataDir, clock);
  const git = new GitRepositories(join(dataDir, "git"));
  await makePrivateFolder(git.root);
  let url = "";
  const platform = new Platform({ store, git, random: options.random ?? systemRandom(), url: () => url });
  addIdentities(store, seed);
  const known = new Set(store.state.repositories.map((repo) => fullName(repo)));
  const missing = seed.repositories.filter((repository) => !known.has(fullName(repository)));
  await Promise.all(missing.map((repository) => plant(platform, repository)));
  await Promise.all(store.state.repositories.map((repo) => platform.followBranches(repo)));
  await store.save();

  const failures = new ScriptedFailures();
  const deviceFlow = new DeviceFlow(platform, options.deviceIntervalSeconds ?? 1);
  const server = buildServer({ platform, deviceFlow, failures });
  await server.listen({ port: options.port ?? 0, host: address }).catch((thrown) => {
    throw new NestError("local_codehost_port", "the local code host cannot listen on its port", { cause: thrown });
  });
  url = `http://${address}:${(server.server.address() as AddressInfo).port}`;

  return {
    url,
    apiUrl: url,
    webUrl: url,
    async addToken(login, token = `ghp_${platform.random.hex(18)}`) {
      store.user(login);
      store.state.tokens[token] = { login };
      await store.save();
      return token;
    },
    async addRepository(repository) {
      await plant(platform, repository);
      await store.save();
    },
    failNext: (failure) => failures.add(failure),
    decideDeviceLogin: (userCode, decision) => deviceFlow.decide(userCode, decision),
    async requireByRuleset(repo, branch, contexts) {
      const [owner = "", name = ""] = repo.split("/");
      store.repository(owner, name)?.rules.push({ branch, contexts });
      await store.save();
    },
    async close() {
      await server.close();
      await platform.delivered();
      await store.save();
    },
  };
}

function emptyState(): State {
  return { version: 1, nextId: 1, users: [], tokens: {}, apps: [], repositories: [] };
}

function addIdentities(store: Store, seed: Seed): void {
  const { state } = store;
  for (const login of seed.organisations) {
    if (!state.users.some((user) => user.login === login))
      state.users.push({ id: store.nextId(), login, type: "Organization" });
  }
  for (const [token, login] of Object.entries(seed.tokens ?? {})) {
    store.user(login);
    state.tokens[token] = { login };
  }
  for (const app of seed.apps ?? []) {
    store.user(`${app.slug}[bot]`);
    const installations = [{ id: app.installationId, account: app.account }];
    const permissions = app.permissions ?? APP_PERMISSIONS;
    const record = { id: app.id, slug: app.slug, publicKey: app.publicKey, installations, permissions };
    state.apps = [...state.apps.filter((known) => known.id !== app.id), record];
  }
}

async function plant(platform: Platform, repository: SeedRepository): Promise<void> {
  const { store } = platform;
  const issues = repository.issues ?? [];
  const start = platform.now() - (issues.length + 1) * MINUTE_MS;
  const repo: RepositoryRecord = {
    id: store.nextId(),
    owner: repository.owner,
    name: repository.name,
    description: repository.description ?? "",
    private: repository.private ?? false,
    defaultBranch: "main",
    ...(repository.writers === undefined ? {} : { writers: repository.writers }),
    nextNumber: 1,
    issues: [],
    labels: [...LABELS],
    protection: {},
    rules: [],
    statuses: [],
    checkRuns: [],
    hooks: [],
  };
  issues.forEach((issue, index) => {
    store.user(issue.author);
    addIssue(platform, repo, { ...issue, labels: [...issue.labels], createdAt: start + index * MINUTE_MS });
  });
  store.state.repositories.push(repo);
  await platform.git.create(fullName(repo), repository.files, { login: repository.owner, at: start });
}
