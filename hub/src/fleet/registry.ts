import { join } from "node:path";
import type { Bus } from "@nest/dispatch";
import { type Clock, type Log, readTextIfPresent, sentenceOf, writeFileAtomic } from "@nest/kit";
import { type Durations, Heartbeat } from "@nest/protocol";

/** A spoke as its last heartbeat described it. */
export interface RegistryEntry {
  readonly id: string;
  readonly org: string | undefined;
  readonly repos: readonly string[];
  readonly primaryRepo: string | undefined;
  readonly dashboardUrl: string | undefined;
  readonly acmmLevel: number | undefined;
  readonly agents: readonly { readonly name: string; readonly state: string }[];
  readonly version: string | undefined;
  readonly isPublic: boolean;
  readonly registeredAt: string;
  readonly lastHeartbeat: string;
}

export interface RegistryDeps {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly times: Durations;
  readonly log: Log;
  readonly bus: Bus;
}

const SAVE_AFTER_MS = 5000;
const MOST_ENTRIES = 2000;

/** The fleet registry: kept in memory, and saved whole to `hub-registry.json` a few seconds after a change. */
export class FleetRegistry {
  readonly #deps: RegistryDeps;
  readonly #entries = new Map<string, RegistryEntry>();
  #saving: (() => void) | undefined;

  constructor(deps: RegistryDeps) {
    this.#deps = deps;
    deps.bus.on("heartbeat", (body) => {
      const heartbeat = Heartbeat.safeParse(body);
      if (heartbeat.success) this.#take(heartbeat.data);
    });
    deps.bus.answer("registry", async () => [...this.#entries.values()]);
  }

  /** Reads the saved file. An unreadable file is reported and left as it is until the next save. */
  async load(): Promise<void> {
    for (const entries of await this.#deps.bus.ask("registry", {}, { withinMs: 1000, enough: 1 })) {
      this.#adopt(entries);
    }
    const text = await readTextIfPresent(this.#path);
    // Write the file at the first start, because backups expect it.
    if (text === undefined) await this.save();
    if (text === undefined || this.#entries.size > 0) return;
    try {
      this.#adopt((JSON.parse(text) as { nests?: unknown }).nests);
    } catch (thrown) {
      this.#deps.log.warn(
        { because: sentenceOf(thrown) },
        "hub-registry.json could not be read; heartbeats will fill it again",
      );
    }
  }

  /** Records a heartbeat, here and at every replica; false when the registry is full. */
  beat(heartbeat: Heartbeat): boolean {
    const taken = this.#take(heartbeat);
    if (taken) void this.#deps.bus.tell("heartbeat", heartbeat).catch(() => undefined);
    return taken;
  }

  /** Takes over entries that this hub or another replica wrote; skips invalid ones. */
  #adopt(entries: unknown): void {
    for (const entry of Array.isArray(entries) ? entries : [])
      if (typeof entry?.id === "string" && Array.isArray(entry.repos) && Array.isArray(entry.agents))
        this.#entries.set(entry.id, entry as RegistryEntry);
  }

  #take(heartbeat: Heartbeat): boolean {
    const now = new Date(this.#deps.clock.now()).toISOString();
    const id = heartbeat.nest_id;
    const before = this.#entries.get(id);
    if (before === undefined && this.#entries.size >= MOST_ENTRIES) return false;
    this.#entries.set(id, {
      id,
      org: heartbeat.org,
      repos: heartbeat.repos ?? [],
      primaryRepo: heartbeat.primary_repo,
      dashboardUrl: heartbeat.dashboard_url,
      acmmLevel: heartbeat.acmm_level,
      agents: heartbeat.agents ?? [],
      version: heartbeat.version,
      isPublic: heartbeat.is_public ?? false,
      registeredAt: before?.registeredAt ?? now,
      lastHeartbeat: now,
    });
    this.#saving ??= this.#deps.clock.after(SAVE_AFTER_MS, () => void this.save());
    return true;
  }

  /** Public spokes, each with whether it is online: its last heartbeat is within `staleThreshold`. */
  list(): (RegistryEntry & { readonly online: boolean })[] {
    const since = this.#deps.clock.now() - this.#deps.times.registryStaleMs;
    return [...this.#entries.values()]
      .filter(({ isPublic }) => isPublic)
      .map((entry) => ({ ...entry, online: Date.parse(entry.lastHeartbeat) > since }));
  }

  async save(): Promise<void> {
    this.#saving?.();
    this.#saving = undefined;
    const updatedAt = new Date(this.#deps.clock.now()).toISOString();
    const text = JSON.stringify({ nests: [...this.#entries.values()], updatedAt }, null, 2);
    await writeFileAtomic(this.#path, `${text}\n`).catch((thrown) => {
      this.#deps.log.error({ because: sentenceOf(thrown) }, "hub-registry.json could not be written");
    });
  }

  get #path(): string {
    return join(this.#deps.dataDir, "hub-registry.json");
  }
}
