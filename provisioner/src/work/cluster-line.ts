import type { CancelTimer } from "@nest/kit";

interface Waiting {
  readonly id: string;
  readonly enter: () => void;
}

interface Line {
  readonly inside: Set<string>;
  readonly waiting: Waiting[];
}

/** Leaves the line; doing so twice is harmless. */
export type Leave = CancelTimer;

/** How many nests are worked on at once on each cluster. The others wait in the order in which they came. */
export class ClusterLine {
  readonly #most: number;
  readonly #lines = new Map<string, Line>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves when it is this nest's turn; rejects with the signal's reason when that comes first. */
  async enter(clusterId: string, id: string, signal: AbortSignal): Promise<Leave> {
    signal.throwIfAborted();
    const line = this.#lines.get(clusterId) ?? { inside: new Set(), waiting: [] };
    this.#lines.set(clusterId, line);
    if (line.inside.size >= this.#most) await this.#wait(line, id, signal);
    else line.inside.add(id);
    return () => this.#leave(clusterId, line, id);
  }

  /** The place in the line, from 1; undefined for a nest that does not wait. */
  position(id: string): number | undefined {
    for (const { waiting } of this.#lines.values()) {
      const at = waiting.findIndex((one) => one.id === id);
      if (at !== -1) return at + 1;
    }
    return undefined;
  }

  #wait(line: Line, id: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        line.waiting.splice(line.waiting.indexOf(one), 1);
        reject(signal.reason);
      };
      const enter = () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      const one: Waiting = { id, enter };
      line.waiting.push(one);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  #leave(clusterId: string, line: Line, id: string): void {
    if (!line.inside.delete(id)) return;
    const next = line.waiting.shift();
    if (next !== undefined) {
      line.inside.add(next.id);
      next.enter();
    } else if (line.inside.size === 0) this.#lines.delete(clusterId);
  }
}
