import { join } from "node:path";
import { type Clock, type Log, readTextIfPresent, writeFileAtomic } from "@nest/kit";
import { pauseCauses, runOutcomes } from "@nest/protocol";
import { z } from "zod";
import type { AgentMemory } from "./agents/agent.ts";
import { type IssueHistory, trimmed } from "./work/issue-history.ts";
import type { QueuePoint } from "./work/queue-points.ts";

/** State that is older than this says nothing about today: it is not used. */
const MOST_AGE_MS = 7 * 86_400_000;
const MOST_POINTS = 5000;

const instant = z.iso.datetime().transform((text) => Date.parse(text));
const maybe = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

const StoredAgent = z.object({
  paused: z.boolean().catch(false),
  paused_at: maybe(instant),
  paused_until: maybe(instant),
  paused_by: maybe(z.string().max(100)),
  pause_cause: maybe(z.enum(pauseCauses)),
  pause_reason: maybe(z.string().max(500)),
  last_kick: maybe(instant),
  failures: maybe(z.number().int().min(0)),
  restart_count: maybe(z.number().int().min(0)),
});
const StoredIssue = z.object({
  agent: z.string(),
  outcome: z.enum(runOutcomes),
  ended_at: instant,
  failures: z.number().int().min(0),
});
const Stored = z.object({
  saved_at: instant,
  governor_mode: maybe(z.string()),
  agents: z.record(z.string(), StoredAgent).catch({}),
  issues: z.record(z.string(), StoredIssue).catch({}),
  queue_points: z
    .array(z.tuple([instant, z.number(), z.number()]))
    .max(MOST_POINTS)
    .catch([]),
});

/** What a nest knows of itself besides its configuration (spec: `/data/nest-state.json`). */
export interface NestState {
  readonly mode: string | undefined;
  readonly agents: Readonly<Record<string, AgentMemory>>;
  readonly issues: IssueHistory;
  readonly queue: readonly QueuePoint[];
}

const NOTHING: NestState = { mode: undefined, agents: {}, issues: {}, queue: [] };

/** Reads and writes `<data>/nest-state.json`; every write replaces the whole file at once. */
export class StateFile {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #log: Log;
  #writing: Promise<void> = Promise.resolve();

  constructor(dataFolder: string, clock: Clock, log: Log) {
    this.#path = join(dataFolder, "nest-state.json");
    this.#clock = clock;
    this.#log = log;
  }

  /** What was written last; nothing where there is no file, where it cannot be understood, or where it is a week old. */
  async read(): Promise<NestState> {
    const text = await readTextIfPresent(this.#path);
    if (text === undefined) return NOTHING;
    const read = Stored.safeParse(parsed(text));
    if (!read.success) {
      this.#log.warn({ file: this.#path }, "the state of this nest cannot be understood, and is begun anew");
      return NOTHING;
    }
    const { saved_at, governor_mode, agents, issues, queue_points } = read.data;
    if (this.#clock.now() - saved_at > MOST_AGE_MS) return NOTHING;
    return {
      mode: governor_mode,
      agents: Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, memoryOf(agent)])),
      issues: Object.fromEntries(
        Object.entries(issues).map(([key, { ended_at, ...issue }]) => [key, { ...issue, endedAt: ended_at }]),
      ),
      queue: queue_points.map(([at, actionable, heldBack]) => ({ at, actionable, heldBack })),
    };
  }

  /** Writes it; on disk when it returns. Writes happen one after the other. */
  write(state: NestState): Promise<void> {
    const text = `${JSON.stringify(storedOf(state, this.#clock.now()))}\n`;
    const written = this.#writing.then(() => writeFileAtomic(this.#path, text, { mode: 0o600 }));
    this.#writing = written.catch(() => undefined);
    return written;
  }
}

function memoryOf(stored: z.infer<typeof StoredAgent>): AgentMemory {
  const pause = stored.paused
    ? {
        cause: stored.pause_cause ?? ("person" as const),
        by: stored.paused_by,
        reason: stored.pause_reason ?? "paused",
        since: stored.paused_at ?? 0,
        until: stored.paused_until,
      }
    : undefined;
  return { pause, lastStartedAt: stored.last_kick, failures: stored.failures, restarts: stored.restart_count };
}

function storedOf(state: NestState, now: number): z.input<typeof Stored> {
  const at = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
  return {
    saved_at: new Date(now).toISOString(),
    governor_mode: state.mode,
    agents: Object.fromEntries(
      Object.entries(state.agents).map(([name, { pause, lastStartedAt, failures, restarts }]) => [
        name,
        {
          paused: pause !== undefined,
          paused_at: at(pause?.since),
          paused_until: at(pause?.until),
          paused_by: pause?.by,
          pause_cause: pause?.cause,
          pause_reason: pause?.reason.slice(0, 500),
          last_kick: at(lastStartedAt),
          failures,
          restart_count: restarts,
        },
      ]),
    ),
    issues: Object.fromEntries(
      Object.entries(trimmed(state.issues)).map(([key, { agent, outcome, endedAt, failures }]) => [
        key,
        { agent, outcome, ended_at: new Date(endedAt).toISOString(), failures },
      ]),
    ),
    queue_points: state.queue
      .slice(-MOST_POINTS)
      .map((point) => [new Date(point.at).toISOString(), point.actionable, point.heldBack]),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
