import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { type CancelTimer, type Clock, writeFileAtomic } from "@nest/kit";
import type { HeadlessStatus } from "@nest/protocol";

type State = HeadlessStatus["state"];
export type StatusDetails = Omit<Partial<HeadlessStatus>, "mode" | "backend" | "state" | "updated_at">;

/**
 * The headless status file that probes read: replaced whole, and rewritten with a fresh `updated_at` at every heartbeat, so
 * that a probe can tell a relay that hangs from one that waits.
 */
export class StatusFile {
  readonly #path: string;
  readonly #backend: string;
  readonly #clock: Clock;
  readonly #onTrouble: (thrown: unknown) => void;
  #current: { state: State; details: StatusDetails } = { state: "starting", details: {} };
  #lastResult: string | undefined;
  #inTrouble = false;
  #writing: Promise<void> = Promise.resolve();
  #cancel: CancelTimer = () => undefined;

  constructor(path: string, deps: { backend: string; clock: Clock; onTrouble: (thrown: unknown) => void }) {
    this.#path = path;
    this.#backend = deps.backend;
    this.#clock = deps.clock;
    this.#onTrouble = deps.onTrouble;
  }

  /** Writes the first state and keeps `updated_at` fresh from now on. */
  start(everyMs: number): void {
    this.set("starting");
    this.#cancel = this.#clock.every(everyMs, () => this.#write());
  }

  /** Sets what the relay does now. `failed` and `done` are remembered as `last_result`. */
  set(state: State, details: StatusDetails = {}): void {
    if (state === "failed" || state === "done") this.#lastResult = state;
    this.#current = { state, details };
    this.#write();
  }

  /** Writes the last state; resolves when it is on disk. */
  async stop(state: State, details: StatusDetails = {}): Promise<void> {
    this.#cancel();
    this.set(state, details);
    await this.#writing;
  }

  #write(): void {
    const { state, details } = this.#current;
    const status: HeadlessStatus = {
      mode: "headless",
      backend: this.#backend,
      state,
      updated_at: new Date(this.#clock.now()).toISOString(),
      ...details,
      ...(this.#lastResult === undefined ? {} : { last_result: this.#lastResult }),
    };
    this.#writing = this.#writing
      .then(async () => {
        await mkdir(dirname(this.#path), { recursive: true });
        await writeFileAtomic(this.#path, `${JSON.stringify(status)}\n`, { mode: 0o600 });
        this.#inTrouble = false;
      })
      .catch((thrown: unknown) => {
        // Report the trouble once, and not at every heartbeat.
        if (!this.#inTrouble) this.#onTrouble(thrown);
        this.#inTrouble = true;
      });
  }
}
