import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { endProcess, keepTrack } from "../process/child.ts";
import type { LoadAnswer, LoadCommand } from "./commands.ts";

const entry = fileURLToPath(new URL("./load-process.ts", import.meta.url));

/** The parent's side of the load process. */
export class LoadClient implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(entry, [], { execArgv: ["--disable-warning=ExperimentalWarning"] });
    keepTrack(this.#child);
  }

  /** Gives one command and waits for its answer. */
  tell(command: LoadCommand, withinMs: number): Promise<LoadAnswer> {
    return new Promise((resolve, reject) => {
      const end = (act: () => void) => {
        clearTimeout(timer);
        this.#child.off("message", onMessage);
        this.#child.off("exit", onExit);
        act();
      };
      const timer = setTimeout(
        () => end(() => reject(new Error(`load: no answer to ${command.do} in time`))),
        withinMs,
      );
      const onMessage = (answer: unknown) => end(() => resolve(answer as LoadAnswer));
      const onExit = () => end(() => reject(new Error(`load: the client ended during ${command.do}`)));
      this.#child.on("message", onMessage);
      this.#child.on("exit", onExit);
      this.#child.send(command);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endProcess(this.#child, "SIGKILL");
  }
}
