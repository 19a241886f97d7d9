import { Book } from "../book/book.ts";
import type { LedgerFile } from "./ledger-file.ts";
import { unreadable } from "./ledger-file.ts";
import { FIRST_LOG, type LedgerEntries, listLedger, openLogIfPresent, openOrMakeLog } from "./ledger-folder.ts";
import type { Problems } from "./problems.ts";
import { readSnapshot } from "./snapshot.ts";

/** Compactions that end while a folder is read make it be read again, at most so often. */
const MOST_TRIES = 10;

export interface StartingPoint {
  readonly book: Book;
  readonly logName: string;
  readonly log: LedgerFile;
}

/**
 * Where the reading of a ledger begins: at the newest snapshot that is whole, with the log that goes on from it; without one at the
 * first log, which is made when the folder has nothing.
 *
 * @throws NestError `ledger_unreadable`, `ledger_too_large`.
 */
export async function startingPoint(folder: string, problems: Problems): Promise<StartingPoint> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    problems.clear();
    const entries = await listLedger(folder);
    const { book, logName } = await base(folder, entries, problems);
    const present = await openLogIfPresent(folder, logName);
    if (present !== undefined) return { book, logName, log: present };
    // A log that a snapshot names was there before the snapshot. Either both are old by now, or this is a copy without it.
    if (newestOf(await listLedger(folder)) !== newestOf(entries)) continue;
    const made = await openOrMakeLog(folder, logName);
    if (newestOf(await listLedger(folder)) === newestOf(entries)) return { book, logName, log: made };
    await made[Symbol.asyncDispose]();
  }
  throw unreadable(folder, "it changes faster than it can be read");
}

async function base(
  folder: string,
  { heads, logs }: LedgerEntries,
  problems: Problems,
): Promise<{ readonly book: Book; readonly logName: string }> {
  let best: { readonly book: Book; readonly logName: string } | undefined;
  for (const head of heads) {
    const snapshot = await readSnapshot(folder, head);
    if (snapshot?.whole) return { book: snapshot.book, logName: snapshot.log };
    problems.add({ file: head, because: "incomplete_snapshot" });
    if (snapshot !== undefined) best ??= { book: snapshot.book, logName: snapshot.log };
  }
  if (logs.includes(FIRST_LOG)) return { book: new Book(), logName: FIRST_LOG };
  return best ?? { book: new Book(), logName: logs[0] ?? FIRST_LOG };
}

function newestOf({ heads }: LedgerEntries): string {
  return heads[0] ?? "";
}
