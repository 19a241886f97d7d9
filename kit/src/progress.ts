export interface ProgressOut {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** A progress line that is rewritten in place while long work goes on. It prints nothing where the output is no terminal. */
export class ProgressLine {
  readonly #out: ProgressOut;
  #shown = false;

  constructor(out: ProgressOut) {
    this.#out = out;
  }

  /** Shows `text` in place of what the line said before. */
  show(text: string): void {
    if (this.#out.isTTY !== true) return;
    this.#shown = true;
    this.#out.write(`\r\u001b[2K${text}`);
  }

  /** Ends the line; the next output begins on a clean one. */
  end(): void {
    if (this.#shown) this.#out.write("\r\u001b[2K");
    this.#shown = false;
  }
}
