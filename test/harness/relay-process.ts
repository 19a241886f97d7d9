import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ProcessHere } from "./process-here.ts";

export interface RelayProcessOptions {
  /** Home, workspaces and state of the relay. */
  readonly folder: string;
  /** The hub's WebSocket address. */
  readonly socket: string;
  readonly token: string;
  /** Absolute path of the agent. */
  readonly agent: string;
  readonly codeHostUrl: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Whom the process belongs to, and the first words of its command line. */
  readonly user?: number;
  readonly within?: readonly string[];
}

/** `nest relay`, headless, in a folder of its own. */
export class RelayProcess implements AsyncDisposable {
  readonly process: ProcessHere;
  readonly #folder: string;

  constructor(options: RelayProcessOptions) {
    const { folder, socket, token, agent, codeHostUrl, environment } = options;
    this.#folder = folder;
    const start = { user: options.user, within: options.within };
    const all = {
      HOME: folder,
      TMPDIR: folder,
      NEST_HUB: socket,
      NEST_REGISTRATION_TOKEN: token,
      AGENT_BACKEND: "claude",
      CONTRIBUTOR_MODE: "headless",
      NEST_AGENT_COMMAND: agent,
      NEST_WORKSPACE: join(folder, "workspaces"),
      NEST_GITHUB_URL: codeHostUrl,
      NEST_GITHUB_API_URL: codeHostUrl,
      ...environment,
    };
    this.process = new ProcessHere("nest", ["relay"], all, start);
  }

  /** What it wrote into its status file; empty before it did. */
  async status(): Promise<Record<string, unknown>> {
    const text = await readFile(join(this.#folder, "contributor-headless-status.json"), "utf8").catch(() => "{}");
    return JSON.parse(text) as Record<string, unknown>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
  }
}
