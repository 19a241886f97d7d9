import type { KnownSecrets } from "@nest/agents";
import { ProgressLine, plainLine } from "@nest/kit";
import { type LogLines, logLines } from "./log-lines.ts";

export interface ConsoleOut {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Some sentences quote a hub, and a hub may send 64 KiB. */
const LONGEST_SENTENCE = 1000;

/**
 * The relay's output on standard error: log lines, sentences for a person, and at a terminal one line that shows what it does.
 */
export class Console {
  readonly log: LogLines;
  readonly #out: ConsoleOut;
  readonly #line: ProgressLine;
  readonly #secrets: KnownSecrets;
  #shown = "";
  #change = "";

  constructor(out: ConsoleOut, secrets: KnownSecrets) {
    this.#out = out;
    this.#line = new ProgressLine(out);
    this.#secrets = secrets;
    this.log = logLines("nest-relay", {
      write: (line) => this.#write(this.#form(line)),
      clean: (text) => secrets.redact(text),
    });
  }

  /** Prints a sentence for a person, whether or not a terminal is there. */
  say(sentence: string): void {
    this.#write(`nest relay: ${this.#secrets.redact(plainLine(sentence)).slice(0, LONGEST_SENTENCE)}\n`);
  }

  /**
   * Shows what the relay does now. At a terminal it rewrites one line, cut to the terminal's width; elsewhere it logs a line
   * whenever `change` differs.
   */
  status(sentence: string, change: string): void {
    if (this.#out.isTTY === true) {
      this.#shown = this.#secrets.redact(plainLine(sentence)).slice(0, (this.#out.columns ?? 201) - 1);
      this.#line.show(this.#shown);
    } else if (change !== this.#change) {
      this.#change = change;
      this.log.info({ now: plainLine(change) }, "status");
    }
  }

  end(): void {
    this.#shown = "";
    this.#line.end();
  }

  #write(text: string): void {
    this.#line.end();
    this.#out.write(text);
    if (this.#shown !== "") this.#line.show(this.#shown);
  }

  /** Formats a log line: JSON unchanged, or at a terminal the time, the message and its fields. */
  #form(line: string): string {
    if (this.#out.isTTY !== true) return line;
    const { time, level, msg, program: _program, ...fields } = JSON.parse(line) as Record<string, unknown>;
    const shown = Object.entries(fields).map(([name, value]) => `${name}=${plainLine(String(value))}`);
    const weight = Number(level) >= 50 ? "error: " : Number(level) >= 40 ? "warning: " : "";
    return `${String(time).slice(11, 19)} ${weight}${[plainLine(String(msg)), ...shown].join(" ")}\n`;
  }
}
