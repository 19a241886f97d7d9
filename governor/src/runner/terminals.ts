import { createHash } from "node:crypto";
import { findBinary, type RunJournal, TmuxSession } from "@nest/agents";
import { NestError } from "@nest/kit";
import { sessionOf } from "../agents/agent-view.ts";

export interface TerminalsDeps {
  /** Tells this nest's multiplexers from those of others on the machine. */
  readonly dataFolder: string;
  /** The environment of the multiplexers: what every agent gets, without a run's variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly journal: RunJournal;
  readonly newMark: () => string;
}

/** How somebody attaches to an agent's terminal. */
export interface AttachCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/** A multiplexer session for each agent, on a server of its own: an agent in one reaches no other. */
export class Terminals {
  readonly #deps: TerminalsDeps;
  readonly #sessions = new Map<string, { readonly session: TmuxSession; readonly mark: string }>();
  readonly #place: string;
  #binary: string | undefined;

  constructor(deps: TerminalsDeps) {
    this.#deps = deps;
    this.#place = createHash("sha256").update(deps.dataFolder).digest("hex").slice(0, 8);
  }

  /**
   * The agent's session; nothing runs in it before its first run.
   *
   * @throws NestError `tmux_missing`.
   */
  async of(agent: string): Promise<TmuxSession> {
    const known = this.#sessions.get(agent);
    if (known !== undefined) return known.session;
    const { environment, journal, newMark } = this.#deps;
    const binary = await this.#tmux();
    const mark = newMark();
    await journal.begin(mark);
    const session = new TmuxSession({
      binary,
      socket: this.#socketOf(agent),
      session: sessionOf(agent),
      folder: "/",
      environment,
      mark,
    });
    // Somebody else may have made it while we waited.
    const meanwhile = this.#sessions.get(agent);
    if (meanwhile !== undefined) return meanwhile.session;
    this.#sessions.set(agent, { session, mark });
    return session;
  }

  /** The program that shows the agent's terminal; the session is there when it returns. @throws NestError `tmux_missing`. */
  async attach(agent: string, isReadOnly: boolean): Promise<AttachCommand> {
    const session = await this.of(agent);
    await session.ready();
    const flags = isReadOnly ? ["-f", "read-only,ignore-size"] : [];
    // Keys go to the agent alone: those of the multiplexer could start programs outside of its sandbox.
    const noKeys = ["set-option", "-g", "prefix", "None", ";", "unbind-key", "-a", "-T", "root", ";"];
    // Viewers have the agent's name around the terminal, and need no line that names this machine.
    const noStatus = ["set-option", "-g", "status", "off", ";"];
    return {
      program: await this.#tmux(),
      args: [
        "-L",
        this.#socketOf(agent),
        ...noKeys,
        ...noStatus,
        "attach-session",
        ...flags,
        "-t",
        `=${sessionOf(agent)}`,
      ],
    };
  }

  /** Ends an agent's session with whatever runs in it. */
  async end(agent: string): Promise<void> {
    const known = this.#sessions.get(agent);
    if (known === undefined) return;
    this.#sessions.delete(agent);
    await known.session.close();
    await this.#deps.journal.end(known.mark);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((agent) => this.end(agent)));
  }

  #socketOf(agent: string): string {
    return `nest-${this.#place}-${agent}`;
  }

  async #tmux(): Promise<string> {
    this.#binary ??= await findBinary("tmux", this.#deps.environment.PATH);
    if (this.#binary === undefined)
      throw new NestError("tmux_missing", "tmux is not installed, and agents run in its sessions", {
        hint: "install tmux, then restart the agent",
      });
    return this.#binary;
  }
}
