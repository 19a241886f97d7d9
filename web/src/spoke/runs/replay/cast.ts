import { z } from "zod";

/** Something that a terminal showed, or a new size of it. */
export type CastEvent =
  | { readonly at: number; readonly kind: "print"; readonly text: string }
  | { readonly at: number; readonly kind: "size"; readonly columns: number; readonly rows: number };

/** A recording of a terminal. Moments are milliseconds since its beginning. */
export interface Cast {
  readonly columns: number;
  readonly rows: number;
  readonly events: readonly CastEvent[];
}

const MOST_COLUMNS = 500;
const MOST_ROWS = 200;
const size = (most: number) =>
  z
    .number()
    .int()
    .min(1)
    .catch(1)
    .transform((value) => Math.min(most, value));

const Header = z.object({ version: z.literal(2), width: size(MOST_COLUMNS), height: size(MOST_ROWS) });
const Line = z.tuple([z.number().min(0), z.string(), z.string()]);

/**
 * Reads an asciicast of version 2; undefined where it is none. Lines that cannot be read are left out: the last one of a recording in
 * progress may be half written. Kinds of events that are neither output nor size are left out too.
 */
export function readCast(text: string): Cast | undefined {
  const [first = "", ...rest] = text.split("\n");
  const header = Header.safeParse(readJson(first));
  if (!header.success) return undefined;
  let latest = 0;
  const events = rest.flatMap((line): CastEvent[] => {
    const read = Line.safeParse(line === "" ? undefined : readJson(line));
    if (!read.success) return [];
    const [seconds, kind, said] = read.data;
    // A clock that was set back does not turn the recording back.
    latest = Math.max(latest, seconds * 1000);
    if (kind === "o") return [{ at: latest, kind: "print", text: said }];
    const [columns, rows] = kind === "r" ? said.split("x").map(Number) : [];
    if (!isSize(columns, MOST_COLUMNS) || !isSize(rows, MOST_ROWS)) return [];
    return [{ at: latest, kind: "size", columns, rows }];
  });
  return { columns: header.data.width, rows: header.data.height, events };
}

/** The same recording where no pause between two events is longer than `mostMs`. */
export function squeezeIdle(cast: Cast, mostMs: number): Cast {
  let before = 0;
  let cut = 0;
  const events = cast.events.map((event) => {
    cut += Math.max(0, event.at - before - mostMs);
    before = event.at;
    return { ...event, at: event.at - cut };
  });
  return { ...cast, events };
}

/** How long a recording is. */
export function lengthOf({ events }: Cast): number {
  return events.at(-1)?.at ?? 0;
}

function isSize(value: number | undefined, most: number): value is number {
  return value !== undefined && Number.isInteger(value) && value >= 1 && value <= most;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
