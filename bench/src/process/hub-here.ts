import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const NEST = join(import.meta.dirname, "../../../bin/nest");
const NO_LIMIT = { max_per_hour: 0, max_per_day: 0, max_concurrent: 0 };

/** `nest hub` as its own process, without limits and with its queue closed, for relays of this machine. */
export class HubHere {
  readonly #child: ChildProcess;
  readonly #adminToken: string;
  url = "";

  private constructor(child: ChildProcess, adminToken: string) {
    this.#child = child;
    this.#adminToken = adminToken;
  }

  static async start(
    folder: string,
    { apiUrl, token }: { readonly apiUrl: string; readonly token: string },
    environment: Readonly<Record<string, string>> = {},
  ): Promise<HubHere> {
    await mkdir(folder, { recursive: true });
    const contribute = { open_registration: true, contribute_suspended: true, tier_limits: { newcomer: NO_LIMIT } };
    const configuration = {
      project: { org: "acme", repos: ["acme/one"] },
      github: { token },
      governor: { eval_interval_s: 3600, contribute },
    };
    await writeFile(join(folder, "hub.yaml"), JSON.stringify(configuration));
    const adminToken = randomBytes(32).toString("hex");
    const child = spawn(NEST, ["hub"], {
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        NEST_DATA_DIR: folder,
        NEST_CONFIG: join(folder, "hub.yaml"),
        NEST_HUB_PORT: "0",
        NEST_GITHUB_API_URL: apiUrl,
        NEST_GITHUB_URL: apiUrl,
        NEST_HUB_ADMIN_TOKEN: adminToken,
        ...environment,
      },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const hub = new HubHere(child, adminToken);
    await new Promise<void>((resolve, reject) => {
      child.stdout?.on("data", (chunk: Buffer) => {
        const line = /listening on (\S+)/.exec(chunk.toString());
        if (line === null) return;
        hub.url = line[1] ?? "";
        resolve();
      });
      child.once("exit", (code) => reject(new Error(`the hub ended with ${code}`)));
    });
    await hub.call("POST", "/api/contribute/queue/refresh");
    return hub;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get socket(): string {
    return `${this.url.replace("http", "ws")}/contribute`;
  }

  async call<Reply>(method: string, path: string, body?: unknown): Promise<Reply> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#adminToken}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Reply;
  }

  async connected(): Promise<number> {
    return (await this.call<{ active_contributors: number }>("GET", "/api/contribute/status")).active_contributors;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    if (this.#child.exitCode === null && this.#child.kill("SIGTERM")) await ended;
  }
}
