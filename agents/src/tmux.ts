import { spawn } from "node:child_process";
import { readlink } from "node:fs/promises";
import { NestError } from "@nest/kit";
import { RUN_MARK } from "./agent-environment.ts";
import { type ControlEvent, ControlModeReader } from "./control-mode.ts";

export interface TmuxDeps {
  /** Absolute path of tmux. */
  readonly binary: string;
  /** Name of this relay's own server (`-L`). */
  readonly socket: string;
  readonly session: string;
  /** The session's working folder before its first program. */
  readonly folder: string;
  /** The server's environment: nothing of any task. */
  readonly environment: Readonly<Record<string, string>>;
  /** Tells the server's process from all others; hexadecimal. */
  readonly mark: string;
  /** What the pane shows before its first program. */
  readonly greeting?: string;
  /** Whether the person's own tmux looks for its servers in a folder of theirs (`TMUX_TMPDIR`): this one is not there. */
  readonly isFolderElsewhere?: boolean;
}

export interface PaneProcess {
  readonly pid: number;
  readonly dead: boolean;
  /** Exit code of a pane that is dead; undefined when a signal ended it. */
  readonly exitCode: number | undefined;
  /** The program was ended by a signal; known at the same moment as an exit code would be. */
  readonly signalled: boolean;
  /** The pane's own terminal device. */
  readonly tty: string;
}

/** Characters that are read of one answer of tmux. */
const MOST_OUTPUT = 8 * 1024 * 1024;
const GREET_AND_WAIT = 'printf "%s\\n" "$1"; exec cat -';
/** Of what it says when it fails. */
const MOST_COMPLAINT = 16 * 1024;

/** A reader of everything a pane prints. */
export interface PaneWatch {
  /** Resolves when nothing more will come. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/**
 * One multiplexer session on a server of its own, that people can attach to and that outlives the tasks worked in it. Every
 * call is an argument array; what is secret goes through standard input.
 */
export class TmuxSession {
  readonly #deps: TmuxDeps;
  #variables: readonly string[] = [];
  #becomingReady: Promise<number> | undefined;

  constructor(deps: TmuxDeps) {
    this.#deps = deps;
  }

  /** What a person types to watch. */
  get attachCommand(): string {
    const { socket, session, isFolderElsewhere = false } = this.#deps;
    return `${isFolderElsewhere ? "env -u TMUX_TMPDIR " : ""}tmux -L ${socket} attach -t ${session}`;
  }

  /**
   * Runs a program as the pane's own command, in place of what ran there. The session is made if it is not there; a server
   * whose folder was deleted is replaced, because every program it starts would break.
   */
  async start(argv: readonly string[], folder: string, environment: Readonly<Record<string, string>>): Promise<void> {
    await this.ready();
    await this.#setEnvironment(environment);
    // tmux hands a single word to a shell; `env` keeps it a program.
    const command = argv.length === 1 ? ["/usr/bin/env", ...argv] : argv;
    await this.#call(["clear-history", "-t", this.#target()]);
    // tmux takes PATH, and no other variable, from whoever asks it to start a program.
    const path = environment.PATH === undefined ? {} : { PATH: environment.PATH };
    await this.#call(["respawn-pane", "-k", "-t", this.#target(), "-c", folder, "--", ...command], "", path);
  }

  /** Makes the session where there is none, or replaces a server that is broken; answers with the server's process. */
  ready(): Promise<number> {
    // Who asks while it is being made waits for that one: two at once would both make it, and one of them fail.
    this.#becomingReady ??= this.#makeReady().finally(() => {
      this.#becomingReady = undefined;
    });
    return this.#becomingReady;
  }

  async #makeReady(): Promise<number> {
    if (await this.#isBroken()) await this.close();
    if (!(await this.#exists())) await this.#create();
    return Number(await this.#call(["display-message", "-p", "#{pid}"]));
  }

  /** The process in the pane. For one that has just ended, the exit code may be known only at a later call. */
  async pane(): Promise<PaneProcess> {
    const format = "#{pid} #{pane_pid} #{pane_dead} x#{pane_dead_status} x#{pane_dead_signal} #{pane_tty}";
    const [server, pid, dead, status = "x", signal = "x", tty = ""] = (
      await this.#call(["display-message", "-p", "-t", this.#target(), format])
    )
      .trim()
      .split(" ");
    const exitCode = status === "x" ? undefined : Number(status.slice(1));
    const signalled = signal !== "x";
    if (dead === "1" && exitCode === undefined && !signalled) remindOfItsChildren(Number(server));
    return { pid: Number(pid), dead: dead === "1", exitCode, signalled, tty };
  }

  /** The pane's text with its history, wrapped lines joined; or the visible part alone. */
  async capture(what: "everything" | "screen"): Promise<string> {
    const history = what === "everything" ? ["-S", "-"] : [];
    const text = await this.#call(["capture-pane", "-p", "-J", ...history, "-t", this.#target()]);
    // What tmux itself writes into a pane whose program has ended.
    return text.replace(/^Pane is dead.*$/gm, "");
  }

  /** Pastes text as one bracketed paste: nothing in it is a keystroke. */
  async paste(text: string): Promise<void> {
    await this.#call(["load-buffer", "-b", "nest-prompt", "-"], text);
    await this.#call(["paste-buffer", "-p", "-d", "-b", "nest-prompt", "-t", this.#target()]);
  }

  async pressEnter(): Promise<void> {
    await this.#call(["send-keys", "-t", this.#target(), "Enter"]);
  }

  /**
   * Attaches a reader that is told everything the pane prints from now on, and each change of its size, until the session ends or
   * the reader is closed. It neither types nor changes the size of the window.
   */
  async watch(onEvent: (event: ControlEvent) => void): Promise<PaneWatch> {
    await this.ready();
    const { binary, socket, environment, mark } = this.#deps;
    const flags = ["-f", "read-only,ignore-size"];
    const child = spawn(binary, ["-L", socket, "-C", "attach-session", ...flags, "-t", `=${this.#deps.session}`], {
      cwd: "/",
      env: { ...environment, TERM: environment.TERM ?? "xterm-256color", [RUN_MARK]: mark },
      stdio: ["pipe", "pipe", "ignore"],
    });
    const reader = new ControlModeReader();
    const attached = new Promise<void>((resolve, reject) => {
      // Its first word comes when it is attached: from then on nothing is missed.
      child.stdout.once("data", () => resolve());
      child.once("error", reject);
      child.once("close", () => reject(new NestError("tmux_failed", "tmux ended before it could be watched")));
    });
    child.stdout.on("data", (piece: Buffer) => {
      for (const event of reader.take(piece)) onEvent(event);
    });
    child.stdin.on("error", () => undefined);
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    await attached;
    return {
      ended,
      close: () => {
        child.stdin.end();
        child.kill();
        return ended;
      },
    };
  }

  /** The window's size in characters. */
  async size(): Promise<{ readonly columns: number; readonly rows: number }> {
    const [columns, rows] = (
      await this.#call(["display-message", "-p", "-t", this.#target(), "#{window_width} #{window_height}"])
    ).split(" ");
    return { columns: Number(columns), rows: Number(rows) };
  }

  /** Removes a task's variables from the session. */
  async forgetEnvironment(): Promise<void> {
    await this.#setEnvironment({});
  }

  /** Ends session and server. */
  async close(): Promise<void> {
    await this.#call(["kill-server"]).catch(() => undefined);
  }

  #target(): string {
    return `=${this.#deps.session}:`;
  }

  async #exists(): Promise<boolean> {
    return this.#call(["has-session", "-t", `=${this.#deps.session}`]).then(
      () => true,
      () => false,
    );
  }

  async #create(): Promise<void> {
    const { greeting } = this.#deps;
    const size = ["-x", "200", "-y", "50"];
    const waiting = greeting === undefined ? ["/bin/cat", "-"] : ["/bin/sh", "-c", GREET_AND_WAIT, "sh", greeting];
    // One call, so that the pane is set to stay before its program can end.
    await this.#call([
      ...["new-session", "-d", "-s", this.#deps.session, ...size, "-c", this.#deps.folder, "--", ...waiting],
      ...[";", "set-option", "-g", "remain-on-exit", "on"],
      ...[";", "set-option", "-g", "history-limit", "20000"],
      ...[";", "set-option", "-g", "update-environment", ""],
    ]);
    this.#variables = [];
  }

  async #isBroken(): Promise<boolean> {
    const pid = await this.#call(["display-message", "-p", "#{pid}"]).catch(() => "");
    if (pid.trim() === "") return false;
    const folder = await readlink(`/proc/${pid.trim()}/cwd`).catch(() => "");
    return folder.endsWith("(deleted)");
  }

  async #setEnvironment(environment: Readonly<Record<string, string>>): Promise<void> {
    const target = `-t ${quoted(`=${this.#deps.session}`)}`;
    const kept = Object.entries(environment).filter(([, value]) => !/[\n\r\0]/.test(value));
    const lines = [
      ...this.#variables.map((name) => `set-environment ${target} -u ${name}`),
      ...kept.map(([name, value]) => `set-environment ${target} ${name} ${quoted(value)}`),
    ];
    this.#variables = kept.map(([name]) => name);
    if (lines.length > 0) await this.#call(["source-file", "-"], `${lines.join("\n")}\n`);
  }

  #call(args: readonly string[], input = "", more: Readonly<Record<string, string>> = {}): Promise<string> {
    const { binary, socket, environment, mark } = this.#deps;
    return new Promise((resolve, reject) => {
      const child = spawn(binary, ["-L", socket, "-f", "/dev/null", ...args], {
        // The first call starts the server, which keeps this working folder for life: it must be one that cannot be deleted.
        cwd: "/",
        env: { ...environment, ...more, TERM: environment.TERM ?? "xterm-256color", [RUN_MARK]: mark },
        stdio: ["pipe", "pipe", "pipe"],
      });
      let [out, error] = ["", ""];
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        // A pane can hold far more than its last lines tell: what comes last counts.
        out = out.length > MOST_OUTPUT ? (out + text).slice(-MOST_OUTPUT) : out + text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        error = (error + text).slice(-MOST_COMPLAINT);
      });
      child.stdin.on("error", () => undefined);
      child.once("error", reject);
      child.once("close", (code) => {
        if (code === 0) resolve(out);
        else reject(new NestError("tmux_failed", `tmux ${args[0]} failed: ${error.trim() || `exit ${code}`}`));
      });
      child.stdin.end(input);
    });
  }
}

/**
 * A busy server can miss that a child has ended: then the pane is dead, the program stays a zombie, and its exit code is not
 * reported until another child ends. Sending it the missed signal makes it look.
 */
function remindOfItsChildren(serverPid: number): void {
  try {
    process.kill(serverPid, "SIGCHLD");
  } catch {
    // The server has ended: the next call to it fails and says so.
  }
}

/** Quotes a word for tmux's own parser: single quotes take everything literally but themselves. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
