/** What a control-mode client of tmux is told that matters to us. */
export type ControlEvent =
  | { readonly kind: "output"; readonly bytes: Buffer }
  | { readonly kind: "size"; readonly columns: number; readonly rows: number };

/** tmux sends an agent's output in lines of at most a few KiB; anything longer is not tmux. */
const LONGEST_LINE = 4 * 1024 * 1024;

/**
 * Reads the protocol of `tmux -C` (its manual, CONTROL MODE): `%output %PANE DATA`, where DATA is the bytes that a program printed
 * with control characters and backslashes as `\ooo`, and `%layout-change @WINDOW SUM,COLUMNSxROWS,…`. All other lines are passed
 * over. Pieces may be cut anywhere.
 */
export class ControlModeReader {
  #rest: Buffer = Buffer.alloc(0);

  /** Takes a piece; returns what it completes. */
  take(piece: Buffer): ControlEvent[] {
    const events: ControlEvent[] = [];
    let text = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    for (let end = text.indexOf(0x0a); end >= 0; end = text.indexOf(0x0a)) {
      const event = eventOf(text.subarray(0, end));
      if (event !== undefined) events.push(event);
      text = text.subarray(end + 1);
    }
    this.#rest = text.length > LONGEST_LINE ? Buffer.alloc(0) : Buffer.from(text);
    return events;
  }
}

const OUTPUT = Buffer.from("%output %");
const LAYOUT = /^%layout-change @\d+ [0-9a-f]{4},(\d{1,5})x(\d{1,5}),/;

function eventOf(line: Buffer): ControlEvent | undefined {
  if (line.subarray(0, OUTPUT.length).equals(OUTPUT)) {
    const space = line.indexOf(0x20, OUTPUT.length);
    return space < 0 ? undefined : { kind: "output", bytes: unescaped(line.subarray(space + 1)) };
  }
  const layout = LAYOUT.exec(line.subarray(0, 100).toString("latin1"));
  return layout === null ? undefined : { kind: "size", columns: Number(layout[1]), rows: Number(layout[2]) };
}

const BACKSLASH = 0x5c;

function unescaped(data: Buffer): Buffer {
  if (!data.includes(BACKSLASH)) return Buffer.from(data);
  const bytes = Buffer.alloc(data.length);
  let length = 0;
  for (let at = 0; at < data.length; at += 1) {
    const byte = data[at] ?? 0;
    const code = byte === BACKSLASH ? Number.parseInt(data.subarray(at + 1, at + 4).toString("latin1"), 8) : Number.NaN;
    bytes[length] = Number.isNaN(code) ? byte : code & 0xff;
    length += 1;
    if (!Number.isNaN(code)) at += 3;
  }
  return bytes.subarray(0, length);
}
