import type { AgentEnd } from "./outcome.ts";
import type { StreamMask } from "./secrets/secret-mask.ts";
import type { Standstill } from "./standstill.ts";

/** One agent at work, whichever driver runs it. */
export interface AgentRun {
  /** Settles once, when the run is over and every process of it is gone. Never rejects. */
  readonly ended: Promise<AgentEnd>;
  /** The last lines, fit for a progress report. */
  tail(): Promise<string>;
  /** What the agent waits for, where the driver can tell; undefined while it works. */
  standstill(): Standstill | undefined;
  /** Ends the whole tree of processes; resolves when it is gone. With `overdueAfterMs` the run ends as the watchdog's. */
  end(how?: EndHow): Promise<void>;
}

export interface EndHow {
  /** The run was ended because it took longer than this. */
  readonly overdueAfterMs?: number;
  /** From SIGTERM to SIGKILL; 5 s unless said otherwise. */
  readonly graceMs?: number;
}

/** A run's whole command line: the program with its arguments, inside its sandbox where it has one. */
export function commandLine(start: AgentStart, args: readonly string[]): readonly [string, ...string[]] {
  const [program = start.binary, ...rest] = start.confined?.([start.binary, ...args]) ?? [start.binary, ...args];
  return [program, ...rest];
}

/** What a driver needs to start an agent. */
export interface AgentStart {
  /** Absolute path of the program. */
  readonly binary: string;
  readonly prompt: string;
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  readonly container: boolean;
  /** Whether `confined` makes a sandbox; false where it only gives the run its own process namespace. */
  readonly sandboxed: boolean;
  /** The task's workspace: the agent's working directory. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly transcript?: string;
  /** Makes a mask for a stream of what the agent prints: transcript, tail and verdict see what it lets through. */
  readonly mask?: () => StreamMask;
  /** Wraps the command line so that it runs confined; absent where nothing confines the run. */
  readonly confined?: ((argv: readonly string[]) => readonly string[]) | undefined;
  /**
   * True where nothing groups the run's processes and the relay is alone in its container. The driver then lists all processes
   * before the start, and ends every process that came later.
   */
  readonly loose?: boolean;
  /** Tells the processes of this run from all others; hexadecimal. */
  readonly mark: string;
}
