import { sentenceOf } from "@nest/kit";
import { checkArchive, hubArchives } from "../archive-source.ts";
import type { Blobs } from "../blobs/blobs.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Parts } from "../parts.ts";
import { planRetention } from "../retention.ts";
import { hubIdOf, keyFrom, readSettings } from "../settings.ts";

export interface PruneFlags {
  readonly "dry-run"?: boolean;
  readonly json?: boolean;
}

export interface PruneQuestion {
  readonly blobs: Blobs;
  readonly hubId: string;
  readonly keep: number;
  readonly protected: readonly string[];
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
  const [newest] = await hubArchives(blobs, hubId, parts.signal);
  if (newest !== undefined && !dryRun) {
    await checkArchive(parts, blobs.get(newest.name, parts.signal), keyFrom(parts.environment));
    await blobs.markVerified(newest.name, parts.clock.now(), parts.signal);
  }
  const pinned = newest === undefined ? [] : [newest.name];
  const pruned = await pruneArchives(parts, { blobs, hubId, keep: settings.retention, protected: pinned, dryRun });
  if (flags.json === true) parts.print(JSON.stringify({ dry_run: dryRun, ...pruned }));
  else printPlan(parts, pruned, dryRun);
  return pruned.failed.length > 0 ? EXIT.gaps : EXIT.ok;
}

/** Removes what the retention does not keep, the oldest first. A failed removal stops nothing. */
export async function pruneArchives(parts: Parts, question: PruneQuestion): Promise<Pruned> {
  const { blobs } = question;
  const archives = await hubArchives(blobs, question.hubId, parts.signal);
  const plan = planRetention({ archives, keep: question.keep, now: parts.clock.now(), protected: question.protected });
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

function printPlan(parts: Parts, pruned: Pruned, dryRun: boolean): void {
  for (const warning of pruned.warnings) parts.print(`WARNING: ${warning}`);
  for (const { name, because } of pruned.kept) parts.print(`kept: ${name} (${because})`);
  for (const name of pruned.removed) parts.print(`${dryRun ? "would remove" : "removed"}: ${name}`);
  for (const name of pruned.hidden) parts.print(`hidden, not freed: ${name}`);
  for (const { name, because } of pruned.failed) parts.print(`NOT removed: ${name}: ${because}`);
}
