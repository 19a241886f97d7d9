import type { Clock, Log, Random } from "@nest/kit";
import type { Outcome } from "./send.ts";

/** How often a spoke tells its hub that it lives. */
export const HEARTBEAT_PERIOD_MS = 2 * 60 * 1000;

export interface HeartbeatParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly periodMs: number;
  readonly random: Random;
  readonly send: (signal: AbortSignal) => Promise<Outcome>;
  /** Told of the outcome of each heartbeat. */
  readonly onOutcome?: ((outcome: Outcome) => void) | undefined;
}

/** Up to this part of the period comes earlier, so that spokes that started together do not stay together. */
const JITTER = 0.1;

/** The one loop that sends heartbeats, one at a time: at boot, then every period after the last one ended. */
export class HeartbeatLoop {
  readonly #parts: HeartbeatParts;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #lastAttemptAt: number | undefined;
  #lastSuccessAt: number | undefined;
  #lastOutcome: Outcome | undefined;
  readonly #counts = { accepted: 0, rejected: 0, unreachable: 0 };

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
  }

  /** When the hub last accepted a heartbeat. */
  get lastSuccessAt(): number | undefined {
    return this.#lastSuccessAt;
  }

  /** When a heartbeat last came to an end, whatever became of it. */
  get lastAttemptAt(): number | undefined {
    return this.#lastAttemptAt;
  }

  get lastOutcome(): Outcome | undefined {
    return this.#lastOutcome;
  }

  get counts(): Readonly<Record<Outcome["kind"], number>> {
    return this.#counts;
  }

  start(): void {
    this.#running ??= this.#beat();
  }

  /** Ends the loop and whatever is in flight. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #beat(): Promise<void> {
    const { clock, periodMs, random, send } = this.#parts;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const outcome = await send(signal);
      if (signal.aborted) return;
      this.#note(outcome);
      await clock.sleep(periodMs * (1 - JITTER * random.fraction()), signal).catch(() => undefined);
    }
  }

  #note(outcome: Outcome): void {
    const now = this.#parts.clock.now();
    const before = this.#lastOutcome?.kind;
    this.#lastAttemptAt = now;
    this.#lastOutcome = outcome;
    this.#counts[outcome.kind] += 1;
    this.#parts.onOutcome?.(outcome);
    switch (outcome.kind) {
      case "accepted":
        this.#lastSuccessAt = now;
        if (before !== "accepted") this.#parts.log.info("hub heartbeat accepted");
        return;
      case "rejected":
        this.#parts.log.warn(`hub heartbeat rejected status=${outcome.status}`);
        return;
      case "unreachable":
        this.#parts.log.warn({ because: outcome.because }, "hub heartbeat not delivered");
    }
  }
}
