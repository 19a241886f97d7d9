import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@nest/kit";
import { type LocalCodeHost, type Seed, startLocalCodeHost } from "@nest/local-codehost";
import type { nestAgents, nestRuns } from "@nest/protocol";
import { expect } from "vitest";
import { FolderHere } from "./folder-here.ts";
import { ProcessHere } from "./process-here.ts";

export const SPOKE_TOKEN = "token-of-the-nest";

export interface SpokeOptions {
  readonly seed: Seed;
  /** Merged over a configuration of one organisation with the token of the seed. */
  readonly config: Record<string, unknown>;
  readonly environment?: Record<string, string>;
  /** Where its folder is made, in place of the temporary folder. */
  readonly parent?: string;
}

/** A nest as its own process, on a code host of its own, behind a proxy that is this test. */
export class SpokeHere implements AsyncDisposable {
  readonly folder: FolderHere;
  readonly codeHost: LocalCodeHost;
  readonly #options: SpokeOptions;
  #process: ProcessHere;
  url = "";

  private constructor(folder: FolderHere, codeHost: LocalCodeHost, options: SpokeOptions) {
    this.folder = folder;
    this.codeHost = codeHost;
    this.#options = options;
    this.#process = this.#spawn();
  }

  static async start(options: SpokeOptions): Promise<SpokeHere> {
    const folder = await FolderHere.make("spoke", options.parent);
    await mkdir(folder.in("home"));
    const codeHost = await startLocalCodeHost({
      dataDir: folder.in("codehost"),
      clock: systemClock(),
      seed: options.seed,
    });
    await writeFile(folder.in("nest.yaml"), JSON.stringify(SpokeHere.#config(options)));
    const spoke = new SpokeHere(folder, codeHost, options);
    await spoke.ready();
    return spoke;
  }

  static #config({ config, seed }: SpokeOptions): object {
    const repos = (seed.repositories ?? []).map(({ owner, name }) => `${owner}/${name}`);
    return {
      project: { org: "acme", repos, primary_repo: repos[0] },
      github: { token: SPOKE_TOKEN },
      hub: { enabled: false },
      dashboard: { hub_proxied: true },
      ...config,
    };
  }

  get process(): ProcessHere {
    return this.#process;
  }

  get dataFolder(): string {
    return this.folder.in("data");
  }

  async ready(): Promise<void> {
    [, this.url = ""] = await this.#process.says(/^nest-spoke listening on (\S+)$/m);
  }

  /** Ends it without a chance to say goodbye; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#process.signal("SIGKILL");
    await this.#process.ended;
  }

  /** Starts it again on the same data, on another port unless one is given. */
  async startAgain(port = "0"): Promise<void> {
    this.#process = this.#spawn(port);
    await this.ready();
  }

  /** Calls a route as somebody with this role. */
  async call<Reply>(method: string, path: string, body?: unknown, role = "owner"): Promise<Reply> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        "x-nest-user": "ada",
        "x-nest-role": role,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    const value = isJson ? JSON.parse(text) : text;
    if (!response.ok)
      throw Object.assign(new Error(`${method} ${path}: ${response.status} ${text}`), {
        ...value,
        status: response.status,
      });
    return value as Reply;
  }

  async agent(name: string): Promise<nestAgents.NestAgent> {
    const { agents } = await this.call<{ agents: nestAgents.NestAgent[] }>("GET", "/api/agents");
    return agents.find((agent) => agent.name === name) as nestAgents.NestAgent;
  }

  async runs(): Promise<nestRuns.Run[]> {
    return (await this.call<{ runs: nestRuns.Run[] }>("GET", "/api/runs")).runs;
  }

  /** Waits until a run that the test looks for has ended. */
  async endedRun(which: (run: nestRuns.Run) => boolean = () => true, withinMs = 60_000): Promise<nestRuns.Run> {
    const find = async () => (await this.runs()).find((run) => run.ended_at !== undefined && which(run));
    await expect.poll(find, { timeout: withinMs, message: this.#process.said }).toBeDefined();
    return (await find()) as nestRuns.Run;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
    await this.codeHost.close();
    await this.folder[Symbol.asyncDispose]();
  }

  #spawn(port = "0"): ProcessHere {
    return new ProcessHere("nest", ["spoke"], {
      NEST_DATA_DIR: this.dataFolder,
      NEST_CONFIG: this.folder.in("nest.yaml"),
      NEST_SPOKE_DASHBOARD_PORT: port,
      NEST_SPOKE_TERMINAL_PORT: "0",
      NEST_GITHUB_API_URL: this.codeHost.apiUrl,
      NEST_GITHUB_URL: this.codeHost.url,
      HOME: this.folder.in("home"),
      ...this.#options.environment,
    });
  }
}

/** A program of `test/fakes/bin`. */
export function fakeAgent(name: string): string {
  return join(import.meta.dirname, "../fakes/bin", name);
}
