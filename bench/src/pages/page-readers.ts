import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { HubPlace } from "../load/bench-relay.ts";
import { endProcess, keepTrack } from "../process/child.ts";

const entry = fileURLToPath(new URL("./page-reader-process.ts", import.meta.url));
const OPEN_WITHIN_MS = 60_000;

export type ReaderCommand =
  | { readonly do: "open"; readonly place: HubPlace | "recording"; readonly pages: number }
  | { readonly do: "close" };

/** What all pages together were told since they were opened. */
export interface ReaderAnswer {
  readonly open: number;
  readonly streamBytes: number;
  readonly events: number;
  readonly calls: number;
  /** Answers that were none, and streams that ended. */
  readonly failed: number;
}

/** Operations pages as far as the hub sees them, all in one process that is not the hub's. */
export class PageReaders implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(entry, [], { execArgv: ["--disable-warning=ExperimentalWarning"] });
    keepTrack(this.#child);
  }

  /**
   * Opens so many pages; the answer comes when each has its first snapshot. At the "recording" they are told what those were told that
   * were opened at a hub last, by a server in the readers' own process.
   */
  open(place: HubPlace | "recording", pages: number): Promise<ReaderAnswer> {
    return this.#ask({ do: "open", place, pages });
  }

  /** Closes all of them and tells what they were told. */
  close(): Promise<ReaderAnswer> {
    return this.#ask({ do: "close" });
  }

  #ask(command: ReaderCommand): Promise<ReaderAnswer> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`pages: no answer to ${command.do} in time`)), OPEN_WITHIN_MS);
      this.#child.once("message", (answer) => {
        clearTimeout(timer);
        resolve(answer as ReaderAnswer);
      });
      this.#child.send(command);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endProcess(this.#child, "SIGKILL");
  }
}
