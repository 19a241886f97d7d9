import { homedir } from "node:os";
import {
  type AgentRun,
  type AgentStart,
  findBinary,
  type RunJournal,
  startInteractive,
  TmuxSession,
} from "@nest/agents";
import type { Clock } from "@nest/kit";
import type { RelayConfig } from "../settings/config.ts";

export interface TerminalDeps {
  /** The environment of the multiplexer's server: what every agent gets, without a task's variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly journal: RunJournal;
  readonly mark: string;
}

/** The multiplexer of interactive mode, for the relay's whole life. */
export interface Terminal {
  readonly notice: string;
  /** What a person types to watch; undefined where tmux was missing at start. */
  readonly attach?: string;
  readonly start: (start: AgentStart) => Promise<AgentRun>;
  /** Why no agent can be started here now; undefined when one can. */
  trouble(): Promise<string | undefined>;
  close(): Promise<void>;
}

const MISSING = "tmux is not installed (CONTRIBUTOR_MODE=headless works without)";

/**
 * Prepares this relay's multiplexer session. Nothing runs in it before the first task. Where tmux is missing, each {@link
 * Terminal.trouble} looks for it again.
 */
export async function openTerminal(config: RelayConfig, deps: TerminalDeps): Promise<Terminal> {
  const { environment, clock, journal, mark } = deps;
  const socket = `nest-${config.sessionName}-${process.pid}`;
  let tmux: TmuxSession | undefined;
  async function open(): Promise<TmuxSession | undefined> {
    const binary = await findBinary("tmux", environment.PATH);
    if (binary === undefined) return undefined;
    const folder = environment.HOME ?? homedir();
    tmux ??= new TmuxSession({ binary, socket, session: config.sessionName, folder, environment, mark });
    return tmux;
  }
  await journal.begin(mark);
  const first = await open();
  const attach = first && [config.attachPrefix, first.attachCommand].filter((part) => part !== undefined).join(" ");
  return {
    notice: attach === undefined ? `warning: ${MISSING}` : `watch the agent with: ${attach}`,
    ...(attach === undefined ? {} : { attach }),
    trouble: async () => ((await open()) === undefined ? MISSING : undefined),
    async start(start) {
      const session = await open();
      return session === undefined
        ? failed(MISSING)
        : startInteractive(config.backend, start, { clock, tmux: session });
    },
    async close() {
      await tmux?.close();
      await journal.end(mark);
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
