/** What a viewer of a terminal sends (docs/protocol.md, Terminal): its first byte says what the rest is. */
export type ViewerFrame =
  | { readonly kind: "input"; readonly bytes: Buffer }
  | { readonly kind: "resize"; readonly columns: number; readonly rows: number }
  | { readonly kind: "pause" | "resume" }
  /** Nothing that this release knows: passed over. */
  | { readonly kind: "unknown" };

/** Sizes of a window that a multiplexer can still draw. */
const COLUMNS = { least: 2, most: 500 } as const;
const ROWS = { least: 1, most: 300 } as const;

const UNKNOWN: ViewerFrame = { kind: "unknown" };

/** Reads a frame, whatever bytes it has. Pure. */
export function readViewerFrame(frame: Buffer): ViewerFrame {
  switch (frame.toString("latin1", 0, 1)) {
    case "0":
      return { kind: "input", bytes: frame.subarray(1) };
    case "1":
      return sizeIn(frame.toString("utf8", 1));
    case "2":
      return { kind: "pause" };
    case "3":
      return { kind: "resume" };
    case "{":
      // How viewers of the older server begin: the size, beside a token that this one does not need.
      return sizeIn(frame.toString("utf8"));
    default:
      return UNKNOWN;
  }
}

/** What the agent's terminal printed. */
export function outputFrame(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from("0"), bytes]);
}

/** The title of the window. */
export function titleFrame(title: string): Buffer {
  return Buffer.from(`1${title}`);
}

/** How the viewer has to set its terminal up. */
export function preferencesFrame(isReadOnly: boolean): Buffer {
  return Buffer.from(`2${JSON.stringify({ disableStdin: isReadOnly })}`);
}

function sizeIn(json: string): ViewerFrame {
  let size: unknown;
  try {
    size = JSON.parse(json);
  } catch {
    return UNKNOWN;
  }
  const { columns, rows } = (size ?? {}) as { readonly columns?: unknown; readonly rows?: unknown };
  if (!Number.isInteger(columns) || !Number.isInteger(rows)) return UNKNOWN;
  return { kind: "resize", columns: within(Number(columns), COLUMNS), rows: within(Number(rows), ROWS) };
}

function within(value: number, { least, most }: { readonly least: number; readonly most: number }): number {
  return Math.min(most, Math.max(least, value));
}
