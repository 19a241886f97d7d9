import { plainText } from "@nest/kit";

const HEAD_BYTES = 256 * 1024;
const TAIL_BYTES = 1024 * 1024;
/** How much of a pane or an output a progress report carries (protocol: pane tail). */
const TAIL_LINES = 15;
const TAIL_TEXT_BYTES = 8 * 1024;

/** Keeps a program's output in bounded memory: the first 256 KiB and the last 1 MiB, however much there was. */
export class CapturedOutput {
  readonly #head = Buffer.alloc(HEAD_BYTES);
  #headLength = 0;
  #ring: Buffer | undefined;
  #ringAt = 0;
  #afterHead = 0;

  add(chunk: Buffer): void {
    const intoHead = Math.min(chunk.length, HEAD_BYTES - this.#headLength);
    chunk.copy(this.#head, this.#headLength, 0, intoHead);
    this.#headLength += intoHead;
    if (intoHead < chunk.length) this.#addToRing(chunk.subarray(intoHead));
  }

  #addToRing(chunk: Buffer): void {
    this.#ring ??= Buffer.alloc(TAIL_BYTES);
    this.#afterHead += chunk.length;
    const kept = chunk.subarray(Math.max(0, chunk.length - TAIL_BYTES));
    const first = Math.min(kept.length, TAIL_BYTES - this.#ringAt);
    kept.copy(this.#ring, this.#ringAt, 0, first);
    kept.copy(this.#ring, 0, first);
    this.#ringAt = (this.#ringAt + kept.length) % TAIL_BYTES;
  }

  /** Everything kept, as text; a line says how much is missing between the beginning and the end. */
  text(): string {
    const head = this.#head.toString("utf8", 0, this.#headLength);
    const lost = this.#afterHead - TAIL_BYTES;
    return lost > 0 ? `${head}\n[${lost} bytes left out]\n${this.#end()}` : head + this.#end();
  }

  /** The last lines, fit for a progress report. */
  tail(): string {
    const end = this.#afterHead >= TAIL_TEXT_BYTES * 4 ? this.#end().slice(-TAIL_TEXT_BYTES * 4) : this.text();
    return lastLines(end.slice(-TAIL_TEXT_BYTES * 4));
  }

  #end(): string {
    if (this.#ring === undefined) return "";
    if (this.#afterHead <= TAIL_BYTES) return this.#ring.toString("utf8", 0, this.#afterHead);
    return Buffer.concat([this.#ring.subarray(this.#ringAt), this.#ring.subarray(0, this.#ringAt)]).toString("utf8");
  }
}

/** The last 15 lines that are not empty, at most 8 KiB, without terminal controls. */
export function lastLines(text: string): string {
  const lines = plainText(text)
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
  const tail = lines.slice(-TAIL_LINES).join("\n");
  const bytes = Buffer.from(tail);
  if (bytes.length <= TAIL_TEXT_BYTES) return tail;
  return bytes
    .subarray(-TAIL_TEXT_BYTES)
    .toString("utf8")
    .replace(/^\ufffd+/, "");
}
