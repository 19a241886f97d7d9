import type { ArchiveKey, Manifest } from "@nest/archive";
import { sentenceOf } from "@nest/kit";
import { madeAt, type StoredArchive, storedArchives, verifyStored } from "../archives/stored-archives.ts";
import type { CollectedHub } from "../collect/collect-hub.ts";
import type { BackupDeps } from "../deps/deps.ts";
import type { Blobs } from "../storage/blobs.ts";

/** What a run compares itself with. */
export interface Shelf {
  /** The last archive with nothing missing, else the last with no sudden loss; undefined when there is none. */
  readonly before: Manifest["previous"];
  /** Objects under this hub's names that look newer than what was last found good, and never were. */
  readonly strangers: readonly string[];
  /** Every name of this hub's that is taken. */
  readonly taken: ReadonlySet<string>;
}

/** Beyond these nobody's first run after an upgrade, or with a new key, need look. */
const MOST_TRIED = 5;
const CLOCK_SLACK_MS = 10 * 60 * 1000;

/**
 * Looks at what the storage has. An object under our name that is damaged, or of a stranger, is told and fails nothing.
 *
 * Where no archive carries a mark of ours (an older release, a new key), the newest are read until one is found good.
 */
export async function lookAtShelf(
  deps: BackupDeps,
  from: { readonly blobs: Blobs; readonly hubId: string; readonly key: ArchiveKey },
): Promise<Shelf> {
  const stored = await storedArchives(from.blobs, from, deps.signal);
  const isSound = ({ mark }: StoredArchive) => mark !== undefined && !mark.much_less;
  const marked = stored.some(isSound) ? stored : await markOne(deps, from, stored);
  const whole = marked.find(({ mark }) => mark?.whole === true) ?? marked.find(isSound);
  const lastGood = marked.findIndex(({ mark }) => mark !== undefined);
  const strangers = marked.slice(0, Math.max(0, lastGood)).map(({ name }) => name);
  const taken = new Set(stored.map(({ name }) => name));
  if (whole?.mark === undefined) return { before: undefined, strangers, taken };
  return { before: { name: whole.name, files: whole.mark.files, spokes: whole.mark.spokes }, strangers, taken };
}

async function markOne(
  deps: BackupDeps,
  from: { readonly blobs: Blobs; readonly hubId: string; readonly key: ArchiveKey },
  stored: readonly StoredArchive[],
): Promise<readonly StoredArchive[]> {
  const latest = deps.clock.now() + CLOCK_SLACK_MS;
  const candidates = stored.filter((archive) => archive.mark === undefined && madeAt(archive) <= latest);
  for (const { name } of candidates.slice(0, MOST_TRIED)) {
    try {
      const { mark } = await verifyStored(deps, from.blobs, { ...from, name, onlyChunked: true });
      if (mark !== undefined && !mark.much_less)
        return stored.map((row) => (row.name === name ? { ...row, mark } : row));
    } catch (thrown) {
      deps.signal.throwIfAborted();
      deps.log.warn({ name, because: sentenceOf(thrown) }, "no good archive of this hub");
    }
  }
  return stored;
}

/** A sudden loss in words: less than half the files, or a fifth of the spokes gone. Spokes at zero replicas are not lost. */
export function muchLess(
  before: Manifest["previous"],
  hub: Pick<CollectedHub, "plannedFiles" | "spokes" | "asleep">,
  skipSpokes: boolean,
): string | undefined {
  if (before === undefined) return undefined;
  if (hub.plannedFiles < before.files / 2) return `${hub.plannedFiles} files, ${before.files} in ${before.name}`;
  if (!skipSpokes && hub.spokes + hub.asleep < before.spokes * 0.8) {
    return `${hub.spokes} spokes, ${before.spokes} in ${before.name}`;
  }
  return undefined;
}
