import { writeFile } from "node:fs/promises";
import { DEMO_AGENT } from "@nest/demo-agent";
import { systemClock } from "@nest/kit";
import { DEMO_HUB_TOKEN, DEMO_ORG, demoSeed, type LocalCodeHost, startLocalCodeHost } from "@nest/local-codehost";
import { FolderHere } from "./folder-here.ts";
import { ProcessHere } from "./process-here.ts";

/** What a trusted proxy says of its visitor. */
export const OWNER = { "x-nest-user": "ada", "x-nest-role": "owner" };

export const READER = { "x-nest-user": "carol", "x-nest-role": "read" };

export interface NestSceneOptions {
  /** Further keys of nest.yaml, replacing the scene's own. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The demo agent waits so long after each line that it prints. */
  readonly paceMs?: number;
}

/** A real nest with two agents, behind a proxy that says who asks, on a code host of this machine with the demo's issues. */
export class NestScene implements AsyncDisposable {
  readonly folder: FolderHere;
  readonly codeHost: LocalCodeHost;
  readonly spoke: ProcessHere;
  readonly url: string;

  private constructor(parts: Pick<NestScene, "folder" | "codeHost" | "spoke" | "url">) {
    this.folder = parts.folder;
    this.codeHost = parts.codeHost;
    this.spoke = parts.spoke;
    this.url = parts.url;
  }

  static async start({ config = {}, paceMs = 150 }: NestSceneOptions = {}): Promise<NestScene> {
    const folder = await FolderHere.make("nest-scene");
    const codeHost = await startLocalCodeHost({
      dataDir: folder.in("codehost"),
      seed: await demoSeed(),
      clock: systemClock(),
    });
    const file = folder.in("nest.yaml");
    await writeFile(file, JSON.stringify({ ...yamlOf(), ...config }, undefined, 2));
    const spoke = new ProcessHere("nest", ["spoke"], {
      NEST_DATA_DIR: folder.in("data"),
      NEST_CONFIG: file,
      NEST_SPOKE_DASHBOARD_PORT: "0",
      NEST_SPOKE_TERMINAL_PORT: "0",
      NEST_GITHUB_API_URL: codeHost.apiUrl,
      NEST_GITHUB_URL: codeHost.webUrl,
      NEST_AGENT_COMMAND: DEMO_AGENT,
      NEST_SANDBOX: "off",
      NEST_DEMO_PACE_MS: String(paceMs),
      NEST_AGENT_ENV: "NEST_DEMO_PACE_MS",
      HOME: folder.path,
    });
    const [, url = ""] = await spoke.says(/^nest-spoke listening on (\S+)$/m);
    return new NestScene({ folder, codeHost, spoke, url });
  }

  async call<Reply>(method: string, path: string, body?: object): Promise<Reply> {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...OWNER, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Reply;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.spoke[Symbol.asyncDispose]();
    await this.codeHost.close();
    await this.folder[Symbol.asyncDispose]();
  }
}

function yamlOf(): object {
  const repos = ["tide-clock", "seed-catalog", "trail-notes"];
  return {
    project: { org: DEMO_ORG, repos, primary_repo: "tide-clock" },
    github: { token: DEMO_HUB_TOKEN },
    hub: { enabled: false },
    dashboard: { hub_proxied: true, authorized_users: ["ada:owner", "carol:read"] },
    acmm_level: 5,
    governor: {
      eval_interval_s: 60,
      modes: {
        idle: { threshold: 0, builder: "15m", reviewer: "pause" },
        busy: { threshold: 10, builder: "10m", reviewer: "30m" },
        surge: { threshold: 60, builder: "5m", reviewer: "10m" },
      },
      budget: { runs_per_day: 40 },
    },
    agents: {
      builder: { backend: "claude", style: "headless", budget: { runs_per_day: 20, minutes_per_day: 120 } },
      reviewer: { backend: "claude", style: "interactive" },
    },
  };
}
