import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CodeHostMemory } from "@nest/codehost";
import { type HubDatabase, openPostgres, openSqlite } from "@nest/dispatch";
import { buildHub, type Hub, type HubConfig, type HubDeps, readHubConfig } from "@nest/hub";
import { Secret, seededRandom, silentLog, VirtualClock } from "@nest/kit";
import { Client } from "pg";
import { RawRelay } from "./raw-relay.ts";
import { failInTheMiddle } from "./storage-failure.ts";
import { newDatabase } from "./test-engine.ts";

export const ADMIN_TOKEN = "admin-token-of-the-tests-0123456789abcdef";

/** A virtual clock whose time moves on only when what came before is settled. */
class SettlingClock extends VirtualClock {
  settle: () => Promise<void> = async () => {};

  override async advance(byMs: number): Promise<void> {
    await this.settle();
    await super.advance(byMs);
    await this.settle();
  }

  override async jump(byMs: number): Promise<void> {
    await this.settle();
    await super.jump(byMs);
    await this.settle();
  }
}

/** A real hub in this process: real sockets, a real database (SQLite, or where the run says so PostgreSQL), a virtual clock. */
export class TestHub implements AsyncDisposable {
  readonly clock: VirtualClock;
  readonly codeHost: CodeHostMemory;
  readonly folder: string;
  #config: HubConfig;
  hub!: Hub;
  url = "";
  #database!: HubDatabase;
  #seed = 1;
  #connectCluster: HubDeps["connectCluster"];

  private constructor(folder: string, config: HubConfig, codeHost: CodeHostMemory, clock: VirtualClock) {
    this.folder = folder;
    this.#config = config;
    this.codeHost = codeHost;
    this.clock = clock;
  }

  /** Starts a hub that monitors `acme/one` with `issues` open issues. */
  static async start(
    options: {
      readonly issues?: number;
      readonly kind?: "app" | "token";
      readonly contribute?: object;
      readonly config?: Partial<HubConfig>;
      /** The seed of its randomness; replicas of one hub need different seeds. */
      readonly seed?: number;
      /** The clock's first time (ms), where the real one matters: its issues were changed in the hours before. */
      readonly startsAt?: number;
      /** Opens clusters for hosted nests. */
      readonly connectCluster?: HubDeps["connectCluster"];
    } = {},
  ): Promise<TestHub> {
    const folder = await mkdtemp(join(tmpdir(), "nest-hub-"));
    const { startsAt } = options;
    const clock = new SettlingClock(startsAt);
    const codeHost = new CodeHostMemory({ kind: options.kind ?? "token", now: () => clock.now() });
    codeHost.addRepository("acme/one");
    for (let number = 1; number <= (options.issues ?? 5); number += 1) {
      const updatedAt = startsAt === undefined ? number : startsAt - number * 3_600_000;
      codeHost.setIssue({ repo: "acme/one", number, updatedAt });
    }
    const base = { ...(await configOf(folder, options.contribute ?? {})), databaseUrl: await newDatabase() };
    const test = new TestHub(folder, { ...base, ...options.config }, codeHost, clock);
    test.#seed = options.seed ?? 1;
    test.#connectCluster = options.connectCluster;
    clock.settle = () => test.settled();
    await test.boot();
    return test;
  }

  /** Everything that was asked of the hub until now is durable and answered. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < 3; turn += 1) {
      await this.hub.batcher.flush();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Boots the hub on what its data directory holds. */
  async boot(): Promise<void> {
    const { databaseUrl } = this.#config;
    const database =
      databaseUrl === undefined ? openSqlite(join(this.folder, "hub.sqlite")) : await openPostgres(databaseUrl);
    this.#database = database;
    const random = seededRandom(this.#seed++);
    this.hub = await buildHub({
      config: this.#config,
      database,
      connectCluster: this.#connectCluster,
      codeHost: this.codeHost,
      clock: this.clock,
      random,
      log: silentLog(),
    });
    // As the real hub: two thousand who knock at once are heard at once.
    await this.hub.http.listen({ host: "127.0.0.1", port: 0, backlog: 4096 });
    this.url = `http://127.0.0.1:${(this.hub.http.server.address() as AddressInfo).port}`;
    await this.hub.start();
    await this.hub.monitor.refresh();
  }

  get socket(): string {
    return `${this.url.replace("http", "ws")}/api/contribute/ws`;
  }

  /** Registers a login and connects its relay. */
  async relay(login: string, extra: object = {}): Promise<RawRelay & { token: string; contributorId: string }> {
    const { registration_token: token, contributor_id: contributorId } = await this.register(login);
    return Object.assign(await RawRelay.join(this.socket, token, extra), { token, contributorId });
  }

  async register(login: string): Promise<{ contributor_id: string; registration_token: string }> {
    const answer = await this.call("POST", "/api/contribute/register", { github_username: login });
    return answer.body as { contributor_id: string; registration_token: string };
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; headers: Headers; body: unknown }> {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  admin(method: string, path: string, body?: unknown) {
    return this.call(method, path, body, { authorization: `Bearer ${ADMIN_TOKEN}` });
  }

  /** How many issues are on offer. */
  async actionable(): Promise<number> {
    return ((await this.call("GET", "/api/contribute/status")).body as { actionable_items: number }).actionable_items;
  }

  /** Why an issue is withheld; undefined when it is on offer. */
  withheld(number: number, repo = "acme/one"): string | undefined {
    this.hub.queue.wake(this.clock.now());
    return this.hub.queue.entry(`${repo}#${number}`)?.withheld?.reason;
  }

  /** Changes the database directly, as another release or a person might, while no hub has it open. */
  async sql(...statements: readonly string[]): Promise<void> {
    const { databaseUrl } = this.#config;
    if (databaseUrl === undefined) {
      const sqlite = new DatabaseSync(join(this.folder, "hub.sqlite"));
      for (const statement of statements) sqlite.exec(statement);
      sqlite.close();
      return;
    }
    const client = new Client({ connectionString: databaseUrl.reveal() });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }

  /** Makes the database fail in the middle of every change of the settings. Returns a function that ends this. */
  storageFails(): Promise<() => Promise<void>> {
    return failInTheMiddle(this.#database);
  }

  async restart(): Promise<void> {
    await this.#stopHub();
    await this.boot();
  }

  /** Starts it again with something else in its configuration. */
  async restartWith(change: Partial<HubConfig>): Promise<void> {
    this.#config = { ...this.#config, ...change };
    await this.restart();
  }

  /** Stops the hub; relays that answer no close are cut two seconds later. */
  async #stopHub(): Promise<void> {
    const stopped = this.hub.stop();
    await this.clock.advance(2000);
    await stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A test may have stopped it already; an error of stopping twice must not hide why the test failed.
    await this.#stopHub().catch(() => undefined);
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function configOf(folder: string, contribute: object): Promise<HubConfig> {
  const { writeFile } = await import("node:fs/promises");
  const file = join(folder, "hub.yaml");
  const project = { org: "acme", repos: ["one"] };
  const governor = { eval_interval_s: 100_000_000, contribute: { open_registration: true, ...contribute } };
  await writeFile(file, JSON.stringify({ project, github: { token: "unused-in-memory" }, governor }));
  const config = await readHubConfig({
    NEST_DATA_DIR: folder,
    NEST_CONFIG: file,
    NEST_HUB_SECRET: "heartbeat-secret-of-the-tests",
  });
  return { ...config, adminToken: new Secret(ADMIN_TOKEN), webUrl: "https://github.com" };
}
