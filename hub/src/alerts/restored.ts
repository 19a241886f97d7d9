import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type CommandBatcher, changeSetting, type Ledger } from "@nest/dispatch";
import { cutBytes, type Log, plainLine, readTextIfPresent, sentenceOf } from "@nest/kit";
import { z } from "zod";

/** What `nest-backup restore` leaves in the data directory. */
const NOTE = ".restored-from.json";
const SETTING = "restored-from";
const NAME_BYTES = 200;

const Note = z.object({
  archive: z.string().transform((name) => cutBytes(plainLine(name), NAME_BYTES)),
  made_at: z.iso.datetime(),
  restored_at: z.iso.datetime(),
});

/** What a hub was restored from. */
export interface RestoredFrom {
  readonly archive: string;
  /** Milliseconds. */
  readonly madeAt: number;
  readonly restoredAt: number;
}

/**
 * Takes over the note of a restore: into the audit and the settings in one transaction, then the note is removed. A hub that is killed
 * between the two finds it again and changes nothing. A note that is unreadable is left and logged: a hub starts nevertheless.
 */
export async function takeRestoreNote(
  dataDir: string,
  {
    ledger,
    batcher,
    log,
  }: { readonly ledger: Ledger; readonly batcher: Pick<CommandBatcher, "ask">; readonly log: Log },
): Promise<void> {
  const path = join(dataDir, NOTE);
  try {
    const text = await readTextIfPresent(path);
    if (text === undefined) return;
    const note = Note.parse(JSON.parse(text));
    await changeSetting({ ledger, batcher }, { name: SETTING, actor: "nest-backup" }, (before) => {
      if (Note.safeParse(before).data?.restored_at === note.restored_at) return undefined;
      const { archive: subject, made_at, restored_at } = note;
      return { value: note, audit: { action: "hub restored", subject, before: made_at, after: restored_at } };
    });
    await rm(path, { force: true });
  } catch (thrown) {
    log.warn({ file: path, because: sentenceOf(thrown) }, "the note of the restore could not be taken over");
  }
}

/** What this hub was restored from last; undefined where it never was. */
export function restoredFrom(ledger: Pick<Ledger, "setting">): RestoredFrom | undefined {
  const { data } = Note.safeParse(ledger.setting(SETTING));
  if (data === undefined) return undefined;
  return { archive: data.archive, madeAt: Date.parse(data.made_at), restoredAt: Date.parse(data.restored_at) };
}
