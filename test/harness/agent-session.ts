import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";

/** The multiplexer session of one agent of a nest, as somebody at the machine reaches it. */
export class AgentSession {
  readonly #socket: string;
  readonly #target: string;

  constructor(dataFolder: string, agent: string) {
    const place = createHash("sha256").update(dataFolder).digest("hex").slice(0, 8);
    this.#socket = `nest-${place}-${agent}`;
    this.#target = `=nest-${agent}:`;
  }

  /** Runs a shell script in the agent's window, in the place of what ran there. */
  run(script: string): void {
    this.#tmux("respawn-pane", "-k", "-t", this.#target, "--", "/usr/bin/env", "sh", "-c", script);
  }

  /** One of tmux's facts about the window: `window_width`, `pane_pid`. */
  fact(name: string): string {
    return this.#tmux("display-message", "-p", "-t", this.#target, `#{${name}}`).trim();
  }

  #tmux(...args: readonly string[]): string {
    return execFileSync("tmux", ["-L", this.#socket, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }
}
