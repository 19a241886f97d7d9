import { fork } from "node:child_process";
import type { Latencies } from "../load/commands.ts";
import { endProcess, keepTrack } from "../process/child.ts";

export interface PeerFigures {
  readonly perSecond: number;
  /** The preloaded jobs ran out before the time did; the rate is right all the same. */
  readonly drained: boolean;
  /** Undefined where it was not asked. */
  readonly addToStart?: Latencies;
}

/** Runs a peer in a process of its own that sends its figures and ends. */
export async function runForked(
  name: string,
  entry: string,
  args: readonly string[],
  seconds: number,
): Promise<PeerFigures> {
  const child = fork(entry, args, { execArgv: ["--disable-warning=ExperimentalWarning"] });
  keepTrack(child);
  try {
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${name} gave no figures in time`)), 60_000 + seconds * 3000);
      child.once("message", (figures) => resolve(figures as PeerFigures));
      child.once("exit", () => reject(new Error(`${name} ended without figures`)));
      child.once("exit", () => clearTimeout(timer));
    });
  } finally {
    await endProcess(child, "SIGKILL");
  }
}
