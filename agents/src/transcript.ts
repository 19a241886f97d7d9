import { closeSync, openSync, renameSync, writeSync } from "node:fs";
import type { StreamMask } from "./secrets/secret-mask.ts";

/** Half of the 16 MiB that a transcript may take: there are the current file and the one before it. */
const FILE_BYTES = 8 * 1024 * 1024;

/** Masks a text that is complete. */
export function maskedText(text: string, mask: StreamMask | undefined): string {
  if (mask === undefined) return text;
  return Buffer.concat([mask.take(Buffer.from(text)), mask.end()]).toString("utf8");
}

/** The whole of what an agent printed, on disk for its owner: 0600, rotated once so that it never grows past 16 MiB. */
export class Transcript {
  readonly #path: string;
  #descriptor: number | undefined;
  #length = 0;

  constructor(path: string) {
    this.#path = path;
    this.#descriptor = openSync(path, "w", 0o600);
  }

  /** Writes a piece; a disk that refuses ends the transcript, never the task. */
  add(chunk: Buffer): void {
    if (this.#descriptor === undefined) return;
    try {
      if (this.#length + chunk.length > FILE_BYTES) this.#rotate();
      writeSync(this.#descriptor, chunk);
      this.#length += chunk.length;
    } catch {
      this.close();
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #rotate(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    renameSync(this.#path, `${this.#path}.1`);
    this.#descriptor = openSync(this.#path, "w", 0o600);
    this.#length = 0;
  }
}
