import { join } from "node:path";
import type { Bus } from "@nest/dispatch";
import { type Clock, type Log, readTextIfPresent, sentenceOf, writeFileAtomic } from "@nest/kit";
import { type AgentFacts, type Durations, type fleet, Heartbeat } from "@nest/protocol";

/** A spoke as its last heartbeat described it. */
export interface RegistryEntry {
  readonly id: string;
  readonly org: string | undefined;
  readonly repos: readonly string[];
  readonly primaryRepo: string | undefined;
  readonly dashboardUrl: string | undefined;
  readonly acmmLevel: number | undefined;
  readonly agents: readonly AgentFacts[];
  readonly governor: Heartbeat["governor"];
  readonly tokens24h: number | undefined;
  readonly nestType: string | undefined;
  readonly appRequired: boolean | undefined;
  readonly startedAt: string | undefined;
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
const MOST_REJECTED = 1000;
const NEST_ID = /^[a-z0-9][a-z0-9-]{0,62}$/i;

/** The fleet registry: kept in memory, and saved whole to `hub-registry.json` a few seconds after a change. */
export class FleetRegistry {
  readonly #deps: RegistryDeps;
  readonly #entries = new Map<string, RegistryEntry>();
  /** Refused heartbeats by the nest that they named, newest last. */
  readonly #rejected = new Map<string, { readonly count: number; readonly at: number }>();
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

  /** Notes a heartbeat that was refused, by the nest that it named. Anybody can name any nest: no more than a thousand are kept. */
  noteRejected(id: string): void {
    if (!NEST_ID.test(id)) return;
    const count = (this.#rejected.get(id)?.count ?? 0) + 1;
    this.#rejected.delete(id);
    this.#rejected.set(id, { count, at: this.#deps.clock.now() });
    for (const oldest of this.#rejected.keys()) {
      if (this.#rejected.size <= MOST_REJECTED) break;
      this.#rejected.delete(oldest);
    }
  }

  /** Why a nest is not online, as far as this hub knows. */
  explain(id: string): fleet.Offline {
    const { clock, times } = this.#deps;
    const entry = this.#entries.get(id);
    const refused = this.#rejected.get(id);
    const known = {
      id,
      rejected: refused?.count ?? 0,
      ...(refused === undefined ? {} : { last_rejected: new Date(refused.at).toISOString() }),
      ...(entry === undefined ? {} : { last_heartbeat: entry.lastHeartbeat }),
    };
    const heardAt = entry === undefined ? undefined : Date.parse(entry.lastHeartbeat);
    return {
      ...known,
      ...offlineState(entry, { heardAt, refusedAt: refused?.at, now: clock.now(), staleMs: times.registryStaleMs }),
    };
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
      // What a beat leaves out keeps its last known value: a nest in trouble says less, and must not look like another one.
      org: heartbeat.org ?? before?.org,
      repos: heartbeat.repos ?? before?.repos ?? [],
      primaryRepo: heartbeat.primary_repo ?? before?.primaryRepo,
      dashboardUrl: heartbeat.dashboard_url ?? before?.dashboardUrl,
      acmmLevel: heartbeat.acmm_level ?? before?.acmmLevel,
      agents: heartbeat.agents ?? before?.agents ?? [],
      governor: heartbeat.governor ?? before?.governor,
      tokens24h: heartbeat.tokens_24h ?? before?.tokens24h,
      nestType: heartbeat.nest_type ?? before?.nestType,
      appRequired: heartbeat.github_app_required ?? before?.appRequired,
      startedAt: heartbeat.started_at ?? before?.startedAt,
      version: heartbeat.version ?? before?.version,
      isPublic: heartbeat.is_public ?? before?.isPublic ?? false,
      registeredAt: before?.registeredAt ?? now,
      lastHeartbeat: now,
    });
    this.#saving ??= this.#deps.clock.after(SAVE_AFTER_MS, () => void this.save());
    return true;
  }

  /** A spoke by its id, public or not; undefined when none of that id was ever heard of. */
  entryOf(id: string): (RegistryEntry & { readonly online: boolean }) | undefined {
    const entry = this.#entries.get(id);
    return entry === undefined ? undefined : this.#withOnline(entry);
  }

  /** The hub decides whether everybody sees a spoke. */
  setPublic(id: string, isPublic: boolean): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#entries.set(id, { ...entry, isPublic });
  }

  /** Forgets a spoke that was deleted. */
  forget(id: string): void {
    if (this.#entries.delete(id)) this.#saving ??= this.#deps.clock.after(SAVE_AFTER_MS, () => void this.save());
  }

  /** Public spokes, each with whether it is online: its last heartbeat is within `staleThreshold`. */
  list(): (RegistryEntry & { readonly online: boolean })[] {
    return [...this.#entries.values()].filter(({ isPublic }) => isPublic).map((entry) => this.#withOnline(entry));
  }

  #withOnline(entry: RegistryEntry): RegistryEntry & { readonly online: boolean } {
    const { clock, times } = this.#deps;
    return { ...entry, online: Date.parse(entry.lastHeartbeat) > clock.now() - times.registryStaleMs };
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

interface Heard {
  readonly heardAt: number | undefined;
  readonly refusedAt: number | undefined;
  readonly now: number;
  readonly staleMs: number;
}

function offlineState(
  entry: RegistryEntry | undefined,
  { heardAt, refusedAt, now, staleMs }: Heard,
): Pick<fleet.Offline, "state" | "because"> {
  const isRefused = refusedAt !== undefined && (heardAt === undefined || refusedAt > heardAt);
  if (entry !== undefined && heardAt !== undefined && now - heardAt < staleMs) {
    const working = entry.agents.filter(({ enabled }) => enabled !== false);
    const isPaused = working.length > 0 && working.every(({ state }) => state === "paused");
    return isPaused
      ? { state: "paused", because: "it is online, and every agent of it is paused; its dashboard says by whom or why" }
      : { state: "online", because: "its heartbeats arrive" };
  }
  if (isRefused)
    return {
      state: "rejected",
      because:
        "its heartbeats arrive and are refused: its NEST_HUB_SECRET is not this hub's, or its own key is of another nest",
    };
  if (heardAt === undefined)
    return {
      state: "never_seen",
      because:
        "no heartbeat of it ever arrived: see whether it runs, whether hub.url is this hub, and whether it may reach it",
    };
  const minutes = Math.round((now - heardAt) / 60_000);
  return {
    state: "stale",
    because: `its last heartbeat came ${minutes} min ago: see whether it runs, and what its log says of the hub`,
  };
}
