import type { ArchiveKey, Manifest } from "@nest/archive";
import { sentenceOf } from "@nest/kit";
import { madeAt, type StoredArchive, storedArchives, verifyStored } from "../archives/stored-archives.ts";
import type { CollectedHub } from "../collect/collect-hub.ts";
import type { BackupDeps } from "../deps/deps.ts";
import type { Blobs } from "../storage/blobs.ts";

/** The stored archives with which a run compares itself. */
export interface Baseline {
  /** The last whole archive, else the last one without a sudden loss; undefined when there is none. */
  readonly before: Manifest["previous"];
  /** Objects with this hub's names that look newer than the last verified archive and were never verified. */
  readonly strangers: readonly string[];
  /** All names of this hub that are taken. */
  readonly taken: ReadonlySet<string>;
}

/** Maximum number of archives read to find a valid one at the first run after an upgrade or with a new key. */
const MOST_TRIED = 5;
const CLOCK_SLACK_MS = 10 * 60 * 1000;

/**
 * Reads which archives the storage has. An object with our name that is damaged or foreign is reported and does not fail the
 * run.
 *
 * If no archive has a mark made with our key (an older release, a new key), the newest are read until one is valid.
 */
export async function readBaseline(
  deps: BackupDeps,
  from: { readonly blobs: Blobs; readonly hubId: string; readonly key: ArchiveKey },
): Promise<Baseline> {
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
      deps.log.warn({ name, because: sentenceOf(thrown) }, "not a valid archive of this hub");
    }
  }
  return stored;
}

/**
 * Describes a sudden loss: less than half of the files, or more than a fifth of the spokes missing. Spokes at zero replicas
 * are not lost.
 */
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
