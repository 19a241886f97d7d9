import { open, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent, readTextIfPresent } from "@nest/kit";
import { nestEvents } from "@nest/protocol";

export interface AuditLine {
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  /** Whom or what it was done to. */
  readonly subject?: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Newest first. When the first is full it becomes the second, and the third goes. */
const FILES = ["audit.jsonl", "audit.jsonl.1", "audit.jsonl.2"] as const;
const FILE_BYTES = 5 * 1024 * 1024;

/** Appends wait for each other, by folder, so that only one of them begins a new file. */
const turns = new Map<string, Promise<void>>();

/** Appends a line to the spoke's audit, `<data>/audit.jsonl`; on disk when it returns. Values of secrets are `[secret]`. */
export function appendAudit(dataFolder: string, line: AuditLine): Promise<void> {
  const turn = (turns.get(dataFolder) ?? Promise.resolve()).then(() => append(dataFolder, line));
  turns.set(
    dataFolder,
    turn.catch(() => undefined),
  );
  return turn;
}

async function append(dataFolder: string, line: AuditLine): Promise<void> {
  const path = join(dataFolder, FILES[0]);
  if ((await sizeOf(path)) > FILE_BYTES) {
    await moveIfPresent(join(dataFolder, FILES[1]), join(dataFolder, FILES[2]));
    await moveIfPresent(path, join(dataFolder, FILES[1]));
  }
  const file = await open(path, "a", 0o600);
  try {
    await file.appendFile(`${JSON.stringify(line)}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
}

export interface AuditQuery {
  readonly limit: number;
  /** Where the page begins: the `next_cursor` of the page before. */
  readonly cursor?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
}

/** In a cursor: the moment of the last entry shown, in milliseconds, then two digits for how many of that moment were shown. */
const PER_MOMENT = 100;

/** A page of the audit, newest first. Entries that come meanwhile move no other. Lines that are none are passed over. */
export async function readAudit(
  dataFolder: string,
  { limit, cursor = "", actor = "", action = "" }: AuditQuery,
): Promise<{ readonly entries: nestEvents.NestAuditLine[]; readonly next_cursor?: string }> {
  const entries: nestEvents.NestAuditLine[] = [];
  let place: Place = { moment: Number.POSITIVE_INFINITY, nth: 0 };
  let lastShown = cursor;
  for (const name of FILES) {
    const text = (await readTextIfPresent(join(dataFolder, name))) ?? "";
    for (const entry of text.split("\n").reverse().flatMap(readLine)) {
      place = placeAfter(place, Date.parse(entry.at) || 0);
      if (cursor !== "" && !comesAfter(place, cursor)) continue;
      if ((actor !== "" && entry.actor !== actor) || (action !== "" && entry.action !== action)) continue;
      if (entries.length === limit) return { entries, next_cursor: lastShown };
      entries.push(entry);
      lastShown = String(place.moment * PER_MOMENT + place.nth);
    }
  }
  return { entries };
}

interface Place {
  readonly moment: number;
  /** Which one of this moment, from 1. */
  readonly nth: number;
}

/** Where the next older entry stands. After a clock was set back an entry seems newer than the one that follows it: it counts as of that moment. */
function placeAfter(newer: Place, at: number): Place {
  const moment = Math.min(newer.moment, at);
  return { moment, nth: moment === newer.moment ? Math.min(PER_MOMENT - 1, newer.nth + 1) : 1 };
}

function comesAfter({ moment, nth }: Place, cursor: string): boolean {
  const shown = Number(cursor);
  const shownMoment = Math.floor(shown / PER_MOMENT);
  return moment < shownMoment || (moment === shownMoment && nth > shown % PER_MOMENT);
}

function readLine(text: string): nestEvents.NestAuditLine[] {
  if (text.trim() === "") return [];
  try {
    const read = nestEvents.NestAuditLine.safeParse(JSON.parse(text));
    return read.success ? [read.data] : [];
  } catch {
    return [];
  }
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

async function moveIfPresent(from: string, to: string): Promise<void> {
  await rename(from, to).catch((thrown) => {
    if (!isAbsent(thrown)) throw thrown;
  });
}
