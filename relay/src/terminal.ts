import { homedir } from "node:os";
import { type AgentRun, type AgentStart, findBinary, startInteractive, TmuxSession } from "@nest/agents";
import type { Clock } from "@nest/kit";
import type { RelayConfig } from "./config.ts";
import type { RunLedger } from "./task/leftovers.ts";

export interface TerminalParts {
  /** The environment of the multiplexer's server: what any agent gets, without anything of a task. */
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly ledger: RunLedger;
  readonly mark: string;
}

/** The multiplexer of interactive mode, for the relay's whole life. */
export interface Terminal {
  /** One sentence for the person at the relay. */
  readonly notice: string;
  /** What a person types to watch; undefined without tmux. */
  readonly attach?: string;
  readonly start: (start: AgentStart) => Promise<AgentRun>;
  close(): Promise<void>;
}

/**
 * Readies a multiplexer session of this relay's own. Nothing runs in it before the first task. Without tmux on PATH every
 * task fails as the environment's.
 */
export async function openTerminal(config: RelayConfig, parts: TerminalParts): Promise<Terminal> {
  const { environment, clock, ledger, mark } = parts;
  const binary = await findBinary("tmux", environment.PATH);
  if (binary === undefined)
    return {
      notice: "warning: tmux is not installed; interactive tasks will fail (CONTRIBUTOR_MODE=headless works without)",
      start: () => Promise.resolve(failed("tmux is not installed")),
      close: () => Promise.resolve(),
    };
  const tmux = new TmuxSession({
    binary,
    socket: `nest-${config.sessionName}-${process.pid}`,
    session: config.sessionName,
    folder: environment.HOME ?? homedir(),
    environment,
    mark,
  });
  await ledger.begin(mark);
  const attach = [config.attachPrefix, tmux.attachCommand].filter((part) => part !== undefined).join(" ");
  return {
    notice: `watch the agent with: ${attach}`,
    attach,
    start: (start) => startInteractive(config.backend, start, { clock, tmux }),
    async close() {
      await tmux.close();
      await ledger.end(mark);
    },
  };
}

function failed(because: string): AgentRun {
  return {
    ended: Promise.resolve({ kind: "not_started", because }),
    tail: () => Promise.resolve(""),
    standstill: () => undefined,
    end: () => Promise.resolve(),
  };
}
