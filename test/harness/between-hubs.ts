import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@nest/kit";
import { type LocalCodeHost, startLocalCodeHost } from "@nest/local-codehost";
import { expect } from "vitest";
import { FolderHere } from "./folder-here.ts";
import { HubProcess, UNLIMITED } from "./hub-process.ts";
import { plainSeed } from "./plain-seed.ts";
import type { Heard, RawHub } from "./raw-hub.ts";
import { RelayProcess } from "./relay-process.ts";
import { WireTap } from "./wire-tap.ts";

const REPO = "acme/one";
const TOKEN = "hub-token-of-the-test";
/** More issues than any test completes. */
const ISSUES = 500;
const AGENTS = join(import.meta.dirname, "../fakes/bin");
/** The clock scale of the honest hub and of the relays: a minute of the protocol takes 0.6 s. */
const CLOCK_SCALE = 100;

/** A real, honest hub with work, for a relay that is also attacked by another hub. */
export class HonestHub implements AsyncDisposable {
  readonly hub: HubProcess;
  readonly #folder: FolderHere;
  readonly #codeHost: LocalCodeHost;
  #contributors = 0;

  private constructor(folder: FolderHere, codeHost: LocalCodeHost, hub: HubProcess) {
    this.#folder = folder;
    this.#codeHost = codeHost;
    this.hub = hub;
  }

  static async start(): Promise<HonestHub> {
    const folder = await FolderHere.make("honest");
    const codeHost = await startLocalCodeHost({
      dataDir: folder.in("codehost"),
      clock: systemClock(),
      seed: plainSeed(TOKEN, [REPO], ISSUES),
    });
    const hub = await HubProcess.start({
      folder: folder.in("hub"),
      apiUrl: codeHost.apiUrl,
      repos: [REPO],
      token: TOKEN,
      contribute: UNLIMITED,
      clockScale: CLOCK_SCALE,
      evalIntervalS: 86_400,
    });
    await hub.refresh();
    return new HonestHub(folder, codeHost, hub);
  }

  /** A relay, new to both hubs, that has the hostile one first in its list. */
  async relayBeside(hostile: RawHub, options: RelayOptions = {}): Promise<RelayBetween> {
    this.#contributors += 1;
    const login = `ada-${this.#contributors}`;
    const { registration_token: token } = await this.hub.register(login);
    const tap = await WireTap.start(this.hub.socket);
    const folder = await FolderHere.make("between");
    const relay = new RelayProcess({
      folder: folder.path,
      socket: `${hostile.address},${tap.socket}`,
      token: `${"f".repeat(64)},${token}`,
      agent: join(AGENTS, options.agent ?? "agent-ok"),
      codeHostUrl: this.#codeHost.url,
      environment: {
        NEST_TEST_CLOCK_SCALE: String(CLOCK_SCALE),
        NEST_AGENT_ENV: "FAKE_SECONDS,FAKE_REPO,FAKE_ENV_FILE",
        FAKE_REPO: REPO,
        ...options.environment,
      },
    });
    return new RelayBetween(folder, tap, relay);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hub[Symbol.asyncDispose]();
    await this.#codeHost.close();
    await this.#folder[Symbol.asyncDispose]();
  }
}

export interface RelayOptions {
  readonly agent?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A real relay between an honest hub and a hostile one, and what it said to the honest one. */
export class RelayBetween implements AsyncDisposable {
  readonly relay: RelayProcess;
  readonly folder: FolderHere;
  readonly #tap: WireTap;

  constructor(folder: FolderHere, tap: WireTap, relay: RelayProcess) {
    this.folder = folder;
    this.#tap = tap;
    this.relay = relay;
  }

  /** Frames to or from the honest hub. */
  frames(direction: "toHub" | "toRelay", type: string): Heard[] {
    return this.#tap[direction].map((text) => JSON.parse(text) as Heard).filter((frame) => frame.type === type);
  }

  /** Waits until so many tasks of the honest hub are done and acknowledged; each with the result its agent had. */
  async honestWorkIsDone(tasks = 1, withinMs = 40_000): Promise<void> {
    await expect
      .poll(() => this.frames("toRelay", "task_ack").length, {
        timeout: withinMs,
        message: `the honest hub's work goes on\n${this.relay.process.said.slice(-4000)}`,
      })
      .toBeGreaterThanOrEqual(tasks);
    for (const report of this.frames("toHub", "task_complete").slice(0, tasks))
      expect(report).toMatchObject({ result: "completed", verdict: "shipped" });
    expect(this.frames("toHub", "task_failed")).toEqual([]);
    expect(await Promise.race([this.relay.process.ended, "it runs"])).toBe("it runs");
  }

  /** The most memory that the relay ever took, in KiB. */
  async mostMemoryKib(): Promise<number> {
    const status = await readFile(`/proc/${this.relay.process.pid}/status`, "utf8");
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.relay[Symbol.asyncDispose]();
    await this.#tap[Symbol.asyncDispose]();
    await this.folder[Symbol.asyncDispose]();
  }
}
