import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import type { ControlEvent, StreamMask } from "@nest/agents";
import type { CancelTimer, Clock } from "@nest/kit";

/** A recording ends there; the run goes on. */
export const MOST_RECORDING_BYTES = 32 * 1024 * 1024;
const FLUSH_BYTES = 64 * 1024;
const FLUSH_EVERY_MS = 1000;

export interface RecordingDeps {
  readonly path: string;
  readonly clock: Clock;
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
  /** Removes secrets before anything is written. */
  readonly mask: StreamMask;
  /** Smaller in tests. */
  readonly mostBytes?: number;
}

/**
 * The terminal of one run as an asciicast of version 2 (docs.asciinema.org/manual/asciicast/v2): a header line, then a line
 * `[seconds, "o", text]` for what was printed and `[seconds, "r", "COLUMNSxROWS"]` for a new size. It is masked before it is written. A
 * disk that refuses ends the recording, never the run.
 */
export class Recording {
  readonly #deps: RecordingDeps;
  readonly #startedAt: number;
  readonly #decoder = new StringDecoder("utf8");
  readonly #stopTimer: CancelTimer;
  #descriptor: number | undefined;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #bytes = 0;
  #isFull = false;

  constructor(deps: RecordingDeps) {
    this.#deps = deps;
    this.#startedAt = deps.clock.now();
    this.#descriptor = openSync(deps.path, "w", 0o600);
    const { columns: width, rows: height, title } = deps;
    const timestamp = Math.floor(this.#startedAt / 1000);
    this.#write({ version: 2, width, height, timestamp, title, env: { TERM: "xterm-256color" } });
    this.flush();
    this.#stopTimer = deps.clock.every(FLUSH_EVERY_MS, () => this.flush());
  }

  /** Bytes written or about to be. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes what the terminal shows next. */
  add(event: ControlEvent): void {
    if (this.#descriptor === undefined || this.#isFull) return;
    if (event.kind === "size") this.#write([this.#seconds(), "r", `${event.columns}x${event.rows}`]);
    else this.#print(this.#deps.mask.take(event.bytes));
  }

  /** Puts on disk what was taken. */
  flush(): void {
    if (this.#descriptor === undefined || this.#waiting.length === 0) return;
    const text = this.#waiting.join("");
    this.#waiting = [];
    this.#waitingBytes = 0;
    try {
      writeSync(this.#descriptor, text);
    } catch {
      this.#drop();
    }
  }

  /** Ends the recording; all of it is on disk then. */
  close(): void {
    this.#stopTimer();
    if (this.#descriptor === undefined) return;
    if (!this.#isFull) this.#print(this.#deps.mask.end());
    this.flush();
    try {
      if (this.#descriptor !== undefined) fsyncSync(this.#descriptor);
    } catch {
      // A disk that cannot keep it has lost a recording: the run's record says how many bytes there are.
    }
    this.#drop();
  }

  #print(bytes: Buffer): void {
    const text = this.#decoder.write(bytes);
    if (text !== "") this.#write([this.#seconds(), "o", text]);
  }

  #write(line: object): void {
    const text = `${JSON.stringify(line)}\n`;
    const size = Buffer.byteLength(text);
    const most = this.#deps.mostBytes ?? MOST_RECORDING_BYTES;
    if (this.#bytes + size > most) {
      this.#isFull = true;
      const words = "\r\n\u001b[7m the recording ends here: it is full, the run went on \u001b[0m\r\n";
      this.#waiting.push(`${JSON.stringify([this.#seconds(), "o", words])}\n`);
      this.flush();
      return;
    }
    this.#bytes += size;
    this.#waitingBytes += size;
    this.#waiting.push(text);
    if (this.#waitingBytes >= FLUSH_BYTES) this.flush();
  }

  #seconds(): number {
    return (this.#deps.clock.now() - this.#startedAt) / 1000;
  }

  #drop(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
