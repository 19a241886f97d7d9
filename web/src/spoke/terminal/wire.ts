/** What a terminal's server says (docs/protocol.md, Terminal). */
export type ServerFrame =
  | { readonly kind: "output"; readonly bytes: Uint8Array }
  | { readonly kind: "title"; readonly title: string }
  | { readonly kind: "preferences"; readonly isReadOnly: boolean }
  | { readonly kind: "unknown" };

/** A paste is sent in frames of this many bytes at most. */
const FRAME_BYTES = 16 * 1024;
const text = new TextDecoder();
const bytes = new TextEncoder();

/** Reads a frame. Pure. */
export function readServerFrame(frame: Uint8Array): ServerFrame {
  const rest = frame.subarray(1);
  switch (String.fromCharCode(frame[0] ?? 0)) {
    case "0":
      return { kind: "output", bytes: rest };
    case "1":
      return { kind: "title", title: text.decode(rest) };
    case "2":
      return { kind: "preferences", isReadOnly: /"disableStdin":\s*true/.test(text.decode(rest)) };
    default:
      return { kind: "unknown" };
  }
}

/** What was typed or pasted, as the frames to send. Pure. */
export function inputFrames(typed: string): Uint8Array<ArrayBuffer>[] {
  const all = bytes.encode(typed);
  const frames: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < all.length; at += FRAME_BYTES) {
    const part = all.subarray(at, at + FRAME_BYTES);
    const frame = new Uint8Array(part.length + 1);
    frame[0] = "0".charCodeAt(0);
    frame.set(part, 1);
    frames.push(frame);
  }
  return frames;
}

export function resizeFrame(columns: number, rows: number): string {
  return `1${JSON.stringify({ columns, rows })}`;
}

export const PAUSE = "2";
export const RESUME = "3";
