import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { contribute, contributors } from "@nest/protocol";
import { ADMIN_TOKEN } from "./hub.ts";
import { ProcessHere } from "./process-here.ts";

export interface HubProcessOptions {
  /** The data directory; made when it is not there. */
  readonly folder: string;
  readonly apiUrl: string;
  readonly repos: readonly string[];
  /** A personal token of the code host; an app's keys go into `github`. */
  readonly token?: string;
  readonly github?: object;
  readonly contribute?: object;
  /** In the spec's own time. */
  readonly evalIntervalS?: number;
  readonly clockScale?: number;
  /** PostgreSQL that hubs share; SQLite in the data directory without it. */
  readonly databaseUrl?: string;
  /** Its heartbeat secret is made at the first start instead of given. */
  readonly makesSecret?: boolean;
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Further variables, over its own. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** No tier has a limit. */
export const UNLIMITED = {
  tier_limits: Object.fromEntries(
    ["newcomer", "contributor", "trusted"].map((tier) => [
      tier,
      { max_per_hour: 0, max_per_day: 0, max_concurrent: 0 },
    ]),
  ),
};

/** `nest hub` as its own process, on a data directory that outlives it. */
export class HubProcess implements AsyncDisposable {
  readonly #options: HubProcessOptions;
  #process: ProcessHere;
  url = "";

  private constructor(options: HubProcessOptions) {
    this.#options = options;
    this.#process = this.#spawn();
  }

  /** Writes the hub's configuration and starts it. */
  static async start(options: HubProcessOptions): Promise<HubProcess> {
    await mkdir(options.folder, { recursive: true });
    const [org = ""] = (options.repos[0] ?? "").split("/");
    const configuration = {
      project: { org, repos: options.repos },
      github: options.github ?? { token: options.token },
      governor: {
        eval_interval_s: options.evalIntervalS ?? 3600,
        contribute: { open_registration: true, ...options.contribute },
      },
    };
    await writeFile(join(options.folder, "hub.yaml"), JSON.stringify(configuration));
    const hub = new HubProcess(options);
    await hub.ready();
    return hub;
  }

  get process(): ProcessHere {
    return this.#process;
  }

  /** Waits for the one line that says where it listens. */
  async ready(): Promise<void> {
    const [, url = ""] = await this.#process.says(/^nest-hub listening on (\S+)$/m);
    this.url = url;
  }

  /** Ends it without a chance to say goodbye; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#process.signal("SIGKILL");
    await this.#process.ended;
  }

  /** Starts it again on the same data; {@link HubProcess.ready} tells when it is up. */
  startAgain(): void {
    this.#process = this.#spawn();
  }

  get socket(): string {
    return `${this.url.replace("http", "ws")}/api/contribute/ws`;
  }

  async call<Reply>(method: string, path: string, body?: unknown): Promise<Reply> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer as Reply;
  }

  register(login: string): Promise<{ contributor_id: string; registration_token: string }> {
    return this.call("POST", "/api/contribute/register", { github_username: login });
  }

  /** Reads the code host now. */
  async refresh(): Promise<void> {
    await this.call("POST", "/api/contribute/queue/refresh");
  }

  status(): Promise<contribute.StatusReply> {
    return this.call("GET", "/api/contribute/status");
  }

  async contributors(): Promise<contributors.ContributorRow[]> {
    const answer = await this.call<{ contributors: contributors.ContributorRow[] }>(
      "GET",
      "/api/contributors?limit=500",
    );
    return answer.contributors;
  }

  async activity(): Promise<contribute.ActivityEntry[]> {
    const answer = await this.call<{ activity: contribute.ActivityEntry[] }>("GET", "/api/contribute/activity");
    return answer.activity;
  }

  /** Why an issue (`owner/name#1`) is not on offer; undefined when it is. */
  async withheld(key: string): Promise<string | undefined> {
    const { queue } = await this.call<contribute.QueueReply>("GET", "/api/contribute/queue?with=withheld&limit=500");
    const item = queue.find((one) => one.key === key);
    return item === undefined ? "not in the queue" : item.withheld?.reason;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }

  #spawn(): ProcessHere {
    const { folder, apiUrl, port = 0, clockScale, databaseUrl, makesSecret = false, environment } = this.#options;
    return new ProcessHere("nest", ["hub"], {
      HOME: folder,
      NEST_DATA_DIR: folder,
      NEST_CONFIG: join(folder, "hub.yaml"),
      NEST_HUB_PORT: String(port),
      NEST_GITHUB_API_URL: apiUrl,
      NEST_GITHUB_URL: apiUrl,
      NEST_HUB_ADMIN_TOKEN: ADMIN_TOKEN,
      ...(makesSecret ? {} : { NEST_HUB_SECRET: "heartbeat-secret-of-the-tests" }),
      ...(databaseUrl === undefined ? {} : { NEST_DATABASE_URL: databaseUrl }),
      ...(clockScale === undefined ? {} : { NEST_TEST_CLOCK_SCALE: String(clockScale) }),
      ...environment,
    });
  }
}
