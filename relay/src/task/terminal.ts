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
  /** Whether the contributor's own tmux keeps its servers in a folder of theirs. */
  readonly isTmuxElsewhere: boolean;
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

const GREETING = "nest relay: there is no task yet. The agent starts here when one comes.";
const MISSING = "tmux is not installed (CONTRIBUTOR_MODE=headless works without)";

/**
 * Prepares this relay's multiplexer session, so that a person can attach at once. Where tmux is missing, each {@link
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
    const own = { greeting: GREETING, isFolderElsewhere: deps.isTmuxElsewhere };
    tmux ??= new TmuxSession({ binary, socket, session: config.sessionName, folder, environment, mark, ...own });
    return tmux;
  }
  await journal.begin(mark);
  const first = await open();
  // One that cannot be made now is made for the first task, and that one says why not.
  await first?.ready().catch(() => undefined);
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
