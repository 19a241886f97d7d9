import { chmod, chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@nest/kit";
import { type LocalCodeHost, startLocalCodeHost } from "@nest/local-codehost";
import type { contribute } from "@nest/protocol";
import { expect } from "vitest";
import { FolderHere } from "./folder-here.ts";
import { HubProcess, UNLIMITED } from "./hub-process.ts";
import { processesAbout } from "./process-here.ts";
import { RelayProcess } from "./relay-process.ts";
import { WireTap } from "./wire-tap.ts";

const REPO = "acme/one";
const TOKEN = "hub-token-of-the-test";
const AGENTS = join(import.meta.dirname, "../fakes/bin");

interface Issue {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
}

/** A code host, a hub and a relay with a bad agent: real processes, loopback, temporary folders. */
export class AgentScene implements AsyncDisposable {
  readonly folder: FolderHere;
  readonly codeHost: LocalCodeHost;
  readonly hub: HubProcess;
  readonly tap: WireTap;
  readonly relay: RelayProcess;
  readonly contributorId: string;

  private constructor(parts: Pick<AgentScene, "folder" | "codeHost" | "hub" | "tap" | "relay" | "contributorId">) {
    this.folder = parts.folder;
    this.codeHost = parts.codeHost;
    this.hub = parts.hub;
    this.tap = parts.tap;
    this.relay = parts.relay;
    this.contributorId = parts.contributorId;
  }

  static async set(
    agent: string,
    options: {
      readonly clockScale?: number;
      readonly issue?: Issue;
      readonly environment?: Record<string, string>;
      /** The lines of an agent of this story alone, in place of one of `test/fakes/bin`. */
      readonly script?: string;
      /** What the contributor's home holds before the relay starts. */
      readonly furnish?: (home: string) => Promise<void>;
      /** Who runs the relay; whoever runs the test unless said otherwise. */
      readonly user?: number;
      /** The first words of the relay's command line. */
      readonly within?: readonly string[];
    } = {},
  ): Promise<AgentScene> {
    const folder = await FolderHere.make("hostile");
    const home = folder.in("home");
    await mkdir(home);
    const issue = { title: "One", body: "", labels: [], ...options.issue, author: "bob" };
    const codeHost = await startLocalCodeHost({
      dataDir: folder.in("codehost"),
      clock: systemClock(),
      seed: {
        organisations: ["acme"],
        tokens: { [TOKEN]: "acme-nest" },
        repositories: [{ owner: "acme", name: "one", files: { "README.md": "# One\n" }, issues: [issue] }],
      },
    });
    const clockScale = options.clockScale ?? 60;
    const hub = await HubProcess.start({
      folder: folder.in("hub"),
      apiUrl: codeHost.apiUrl,
      repos: [REPO],
      token: TOKEN,
      contribute: UNLIMITED,
      clockScale,
      evalIntervalS: 86_400,
    });
    await hub.refresh();
    const { registration_token: token, contributor_id: contributorId } = await hub.register("ada");
    const tap = await WireTap.start(hub.socket);
    const binary = options.script === undefined ? join(AGENTS, agent) : folder.in("home/bin", agent);
    if (options.script !== undefined) {
      await mkdir(folder.in("home/bin"));
      await writeFile(binary, `#!/bin/sh\n${options.script}\n`, { mode: 0o755 });
    }
    await options.furnish?.(home);
    if (options.user !== undefined) await giveTo(options.user, folder);
    const relay = new RelayProcess({
      folder: home,
      socket: tap.socket,
      token,
      agent: binary,
      ...(options.user === undefined ? {} : { user: options.user }),
      ...(options.within === undefined ? {} : { within: options.within }),
      codeHostUrl: codeHost.url,
      environment: {
        NEST_TEST_CLOCK_SCALE: String(clockScale),
        NEST_AGENT_ENV: "FAKE_PID_FILE",
        FAKE_PID_FILE: folder.in("home", "pid"),
        ...options.environment,
      },
    });
    return new AgentScene({ folder, codeHost, hub, tap, relay, contributorId });
  }

  /** The first thing that happened of this kind. */
  async happened(action: string | RegExp, withinMs = 20_000): Promise<contribute.ActivityEntry> {
    const find = async () => (await this.hub.activity()).find((entry) => entry.action.match(action) !== null);
    await expect.poll(find, { timeout: withinMs, message: `${action}\n${this.relay.process.said}` }).toBeDefined();
    return (await find()) as contribute.ActivityEntry;
  }

  async failure() {
    const { clankers } = await this.hub.call<contribute.FleetReply>("GET", "/api/contribute/fleet");
    return clankers[0]?.last_failure;
  }

  async standing() {
    return (await this.hub.contributors())[0];
  }

  /** Everything that the agents of all tasks printed, once this many have ended. */
  async transcripts(tasks = 1): Promise<string> {
    const ended = async () => (await this.hub.activity()).filter(({ action }) => /^(?:completed|failed)/.test(action));
    const message = () => this.relay.process.said;
    await expect
      .poll(async () => (await ended()).length, { timeout: 40_000, message: message() })
      .toBeGreaterThanOrEqual(tasks);
    const root = this.folder.in("home/workspaces");
    const read = (name: string) => readFile(join(root, name, "transcript.log"), "utf8").catch(() => "");
    return (await Promise.all((await readdir(root)).map(read))).join("\n");
  }

  /** Processes of the relay's folder, but for the relay itself. */
  async agents(): Promise<string[]> {
    const all = await processesAbout(this.folder.in("home"));
    return all.filter((one) => !one.startsWith(`${this.relay.process.pid} `));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.relay[Symbol.asyncDispose]();
    await this.tap[Symbol.asyncDispose]();
    await this.hub[Symbol.asyncDispose]();
    await this.codeHost.close();
    await this.folder[Symbol.asyncDispose]();
  }
}

/** Makes a home that user's own, and the way to it open. */
async function giveTo(user: number, folder: FolderHere): Promise<void> {
  await chmod(folder.path, 0o755);
  const home = folder.in("home");
  await chown(home, user, user);
  for (const name of await readdir(home, { recursive: true })) await chown(join(home, name), user, user);
}
