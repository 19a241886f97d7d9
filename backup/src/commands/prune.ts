import { sentenceOf } from "@nest/kit";
import type { Blobs } from "../blobs/blobs.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Parts } from "../parts.ts";
import { planRetention } from "../retention.ts";
import { hubIdOf, keyFrom, readSettings } from "../settings.ts";
import {
  hubArchives,
  lastWhole,
  type ShelfQuestion,
  type StoredArchive,
  storedArchives,
  verifyStored,
} from "../stored-archives.ts";
import { markName } from "../verified-mark.ts";

export interface PruneFlags {
  readonly "dry-run"?: boolean;
  readonly json?: boolean;
}

export interface PruneQuestion extends ShelfQuestion {
  readonly blobs: Blobs;
  readonly keep: number;
  /** Found good a moment ago, also where the storage keeps no note of it. */
  readonly readBack: readonly string[];
  readonly dryRun: boolean;
}

/** What became of each archive. */
export interface Pruned {
  readonly kept: readonly { readonly name: string; readonly because: string }[];
  readonly removed: readonly string[];
  /** Only hidden behind a delete marker: still kept, and still paid for. */
  readonly hidden: readonly string[];
  readonly failed: readonly { readonly name: string; readonly because: string }[];
  readonly warnings: readonly string[];
}

/** `prune`: verifies the newest archive; only if it is good, removes what the retention does not keep. */
export async function prune(parts: Parts, flags: PruneFlags): Promise<ExitCode> {
  const settings = readSettings(parts.environment);
  const blobs = await parts.openBlobs();
  const hubId = await hubIdOf(parts.environment, settings);
  const dryRun = flags["dry-run"] ?? false;
  // A plan that nobody carries out needs no key; it believes the marks as they stand.
  const key = dryRun ? undefined : keyFrom(parts.environment);
  const [newest] = await hubArchives(blobs, hubId, parts.signal);
  const readBack: string[] = [];
  if (newest !== undefined && key !== undefined) {
    const { isOwn } = await verifyStored(parts, blobs, { name: newest.name, hubId, key, onlyChunked: true });
    if (isOwn) readBack.push(newest.name);
  }
  const question = { blobs, hubId, key, keep: settings.retention, readBack, dryRun };
  const pruned = await pruneArchives(parts, question);
  if (flags.json === true) parts.print(JSON.stringify({ dry_run: dryRun, ...pruned }));
  else printPlan(parts, pruned, dryRun);
  return pruned.failed.length > 0 ? EXIT.gaps : EXIT.ok;
}

/**
 * Removes what the retention does not keep, the oldest first; the last whole archive stays, however many are newer. A failed removal
 * stops nothing.
 */
export async function pruneArchives(parts: Parts, question: PruneQuestion): Promise<Pruned> {
  const { blobs } = question;
  const stored = await storedArchives(blobs, question, parts.signal);
  const whole = lastWhole(stored);
  const isGood = ({ name, mark }: StoredArchive) => mark !== undefined || question.readBack.includes(name);
  const plan = planRetention({
    archives: stored.map((archive) => ({ ...archive, isGood: isGood(archive) })),
    keep: question.keep,
    now: parts.clock.now(),
    protected: [...question.readBack, ...(whole === undefined ? [] : [whole.name])],
  });
  const outcome = {
    removed: [] as string[],
    hidden: [] as string[],
    failed: [] as { name: string; because: string }[],
  };
  const kept = [...plan.kept];
  for (const warning of plan.warnings) parts.log.warn(warning);
  for (const name of plan.removed) {
    if (question.dryRun) {
      outcome.removed.push(name);
      continue;
    }
    try {
      const became = await blobs.remove(name, parts.signal);
      if (became !== "locked") await removeMark(parts, blobs, name);
      if (became === "removed") outcome.removed.push(name);
      if (became === "hidden") outcome.hidden.push(name);
      if (became === "locked") kept.push({ name, because: "still locked, or we may not delete" });
    } catch (thrown) {
      parts.signal.throwIfAborted();
      outcome.failed.push({ name, because: sentenceOf(thrown) });
    }
  }
  return { kept, ...outcome, warnings: plan.warnings };
}

async function removeMark(parts: Parts, blobs: Blobs, archive: string): Promise<void> {
  await blobs.remove(markName(archive), parts.signal).catch((thrown: unknown) => {
    parts.signal.throwIfAborted();
    parts.log.warn({ archive, because: sentenceOf(thrown) }, "the mark of a removed archive could not be removed");
  });
}

function printPlan(parts: Parts, pruned: Pruned, dryRun: boolean): void {
  for (const warning of pruned.warnings) parts.print(`WARNING: ${warning}`);
  for (const { name, because } of pruned.kept) parts.print(`kept: ${name} (${because})`);
  for (const name of pruned.removed) parts.print(`${dryRun ? "would remove" : "removed"}: ${name}`);
  for (const name of pruned.hidden) parts.print(`hidden, not freed: ${name}`);
  for (const { name, because } of pruned.failed) parts.print(`NOT removed: ${name}: ${because}`);
}
