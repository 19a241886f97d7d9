import { createHash } from "node:crypto";
import { join } from "node:path";
import { writeFileAtomic } from "@nest/kit";
import { z } from "zod";
import { OVERLAY_RECORD, readConfigText } from "./config-files.ts";
import { keyOf, leavesOf, type Path } from "./leaves.ts";

/** Who changes the configuration, and when. */
export interface Author {
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

const OverlayRecord = z.object({
  /** `project.org` of an overlay that was in force, and of the seed below it: these two belong together. */
  projects: z.object({ seed: z.string(), overlay: z.string() }).optional(),
  /** By key: who saved it when, and a digest of the value, because a hand edit of the overlay is nobody's save. */
  keys: z.record(z.string(), z.object({ by: z.string(), at: z.string(), digest: z.string() })).default({}),
  /** Why a file was not used, by the name under which it is kept. */
  rejected: z.record(z.string(), z.string()).default({}),
});
export type OverlayRecord = z.infer<typeof OverlayRecord>;

const NOTHING: OverlayRecord = { keys: {}, rejected: {} };

/** What is remembered of the overlay. It explains and decides little: one that cannot be read is as good as none. */
export async function readRecord(dataFolder: string): Promise<OverlayRecord> {
  try {
    const text = await readConfigText(join(dataFolder, OVERLAY_RECORD));
    return text === undefined ? NOTHING : OverlayRecord.parse(JSON.parse(text));
  } catch {
    return NOTHING;
  }
}

/** Changes what is remembered of the overlay. */
export async function changeRecord(
  dataFolder: string,
  change: (record: OverlayRecord) => OverlayRecord,
): Promise<OverlayRecord> {
  const before = await readRecord(dataFolder);
  const after = change(before);
  if (JSON.stringify(after) !== JSON.stringify(before))
    await writeFileAtomic(join(dataFolder, OVERLAY_RECORD), `${JSON.stringify(after)}\n`);
  return after;
}

/** Remembers who made these changes of the overlay; without an author, that nobody is known to have made them. */
export async function recordChanges(
  dataFolder: string,
  changes: readonly (readonly [path: Path, value: unknown])[],
  author: Author | undefined,
): Promise<void> {
  await changeRecord(dataFolder, (record) => {
    const changed = changes.map(([path]) => keyOf(path));
    const isKept = (key: string) => !changed.some((at) => key === at || key.startsWith(`${at}.`));
    const kept = Object.entries(record.keys).filter(([key]) => isKept(key));
    const made = changes.flatMap(([path, value]) =>
      author === undefined
        ? []
        : leavesOf(value, path).map(([leaf, inner]) => [keyOf(leaf), { ...author, digest: digestOf(inner) }] as const),
    );
    return { ...record, keys: Object.fromEntries([...kept, ...made]) };
  });
}

/** Who saved a value of the overlay and when; undefined where it is not known, or the value is not the one that was saved. */
export function authorOf(record: OverlayRecord, path: Path, value: unknown): Author | undefined {
  const key = keyOf(path);
  const saved = Object.hasOwn(record.keys, key) ? record.keys[key] : undefined;
  if (saved === undefined || value === undefined || saved.digest !== digestOf(value)) return undefined;
  return { by: saved.by, at: saved.at };
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
