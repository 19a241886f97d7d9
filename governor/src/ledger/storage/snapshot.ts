import { constants } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent } from "@nest/kit";
import { Bead, type SnapshotHead, SnapshotHead as SnapshotHeadSchema } from "@nest/protocol";
import { Book } from "../book/book.ts";
import { LedgerFile } from "./ledger-file.ts";
import { giveToFolderOwner, snapshotName, syncFolder } from "./ledger-folder.ts";
import { fromLine, toLine } from "./line.ts";

/** A part is ended at this size: each has to fit into the nest's backup, which takes no larger files than 64 MiB. */
const PART_CHARACTERS = 16 * 1024 * 1024;
const WRITE_CHARACTERS = 256 * 1024;

export interface LoadedSnapshot {
  readonly book: Book;
  /** The log that goes on from here. */
  readonly log: string;
  /** Whether every bead was there that the head promises. */
  readonly whole: boolean;
}

/**
 * Writes the book as the snapshot that `log` goes on from. Each file is written beside, synced and renamed, the head last: a
 * snapshot whose head is there is whole.
 */
export async function writeSnapshot(folder: string, log: string, book: Book): Promise<void> {
  const beads = book.beads()[Symbol.iterator]();
  let parts = 0;
  for (let next = beads.next(); !next.done; ) {
    parts += 1;
    await writeBeside(folder, snapshotName(log, parts), async (write) => {
      let written = 0;
      for (; !next.done && written < PART_CHARACTERS; next = beads.next()) {
        const line = toLine(next.value);
        written += line.length;
        await write(line);
      }
    });
  }
  const { dependTip: depend_tip, size } = book;
  const head: SnapshotHead = { op: "snapshot", version: 1, log, parts, beads: size, depend_tip };
  await writeBeside(folder, snapshotName(log, 0), (write) => write(toLine(head)));
}

/** Reads a snapshot by the name of its head; undefined when there is none that could be read at all. */
export async function readSnapshot(folder: string, headName: string): Promise<LoadedSnapshot | undefined> {
  const head = await readHead(folder, headName);
  if (head === undefined || snapshotName(head.log, 0) !== headName) return undefined;
  const book = new Book(head.depend_tip);
  let bad = 0;
  for (let part = 1; part <= head.parts; part += 1) {
    const took = await readFile(folder, snapshotName(head.log, part), (line) => {
      const bead = Bead.safeParse(fromLine(line));
      if (!bead.success || book.restore(bead.data) !== undefined) bad += 1;
      return undefined;
    });
    if (!took) bad += 1;
  }
  return { book, log: head.log, whole: bad === 0 && book.size === head.beads };
}

async function readHead(folder: string, name: string): Promise<SnapshotHead | undefined> {
  let head: SnapshotHead | undefined;
  await readFile(folder, name, (line) => {
    head = SnapshotHeadSchema.safeParse(fromLine(line)).data;
    return "stop";
  });
  return head;
}

/** Whether the file was there and could be read. */
async function readFile(folder: string, name: string, take: (line: Buffer) => "stop" | undefined): Promise<boolean> {
  let readable = true;
  try {
    await using file = await LedgerFile.open(join(folder, name), constants.O_RDONLY);
    await file.readOn(take, () => (readable = false));
  } catch (thrown) {
    if (!isAbsent(thrown) && (thrown as { code?: unknown }).code === undefined) throw thrown;
    return false;
  }
  return readable;
}

type Write = (text: string) => Promise<void>;

async function writeBeside(folder: string, name: string, fill: (write: Write) => Promise<void>): Promise<void> {
  const beside = join(folder, `.${name}.part`);
  const file = await open(beside, "wx", 0o600);
  try {
    await giveToFolderOwner(folder, file);
    let waiting = "";
    await fill(async (text) => {
      waiting += text;
      if (waiting.length < WRITE_CHARACTERS) return;
      await file.writeFile(waiting);
      waiting = "";
    });
    await file.writeFile(waiting);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(beside, join(folder, name));
  await syncFolder(folder);
}
