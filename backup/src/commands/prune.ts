import { sentenceOf } from "@nest/kit";
import { planRetention } from "../archives/retention.ts";
import {
  type HubArchivesQuery,
  hubArchives,
  lastWhole,
  type StoredArchive,
  storedArchives,
  verifyStored,
} from "../archives/stored-archives.ts";
import { markName } from "../archives/verified-mark.ts";
import type { BackupDeps } from "../deps/deps.ts";
import { hubIdOf, keyFrom, readSettings } from "../settings/settings.ts";
import type { Blobs } from "../storage/blobs.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";

export interface PruneFlags {
  readonly "dry-run"?: boolean;
  readonly json?: boolean;
}

export interface PruneQuestion extends HubArchivesQuery {
  readonly blobs: Blobs;
  readonly keep: number;
  /** Archives verified just now, even if their marks could not be stored. */
  readonly readBack: readonly string[];
  readonly dryRun: boolean;
}

export interface Pruned {
  readonly kept: readonly { readonly name: string; readonly because: string }[];
  readonly removed: readonly string[];
  /** Hidden by a delete marker only: the bytes are still stored and paid for. */
  readonly hidden: readonly string[];
  readonly failed: readonly { readonly name: string; readonly because: string }[];
  readonly warnings: readonly string[];
}

/** `prune`: verifies the newest archive; only if it is valid, removes the archives that the retention does not keep. */
export async function prune(deps: BackupDeps, flags: PruneFlags): Promise<ExitCode> {
  const settings = readSettings(deps.environment);
  const blobs = await deps.openBlobs();
  const hubId = await hubIdOf(deps.environment, settings);
  const dryRun = flags["dry-run"] ?? false;
  // A dry run needs no key; it believes the marks.
  const key = dryRun ? undefined : keyFrom(deps.environment);
  const [newest] = await hubArchives(blobs, hubId, deps.signal);
  const readBack: string[] = [];
  if (newest !== undefined && key !== undefined) {
    const { isOwn } = await verifyStored(deps, blobs, { name: newest.name, hubId, key, onlyChunked: true });
    if (isOwn) readBack.push(newest.name);
  }
  const question = { blobs, hubId, key, keep: settings.retention, readBack, dryRun };
  const pruned = await pruneArchives(deps, question);
  if (flags.json === true) deps.print(JSON.stringify({ dry_run: dryRun, ...pruned }));
  else printPlan(deps, pruned, dryRun);
  return pruned.failed.length > 0 ? EXIT.gaps : EXIT.ok;
}

/**
 * Removes the archives that the retention does not keep, oldest first. The last whole archive always stays. A failed removal
 * does not stop the others.
 */
export async function pruneArchives(deps: BackupDeps, question: PruneQuestion): Promise<Pruned> {
  const { blobs } = question;
  const stored = await storedArchives(blobs, question, deps.signal);
  const whole = lastWhole(stored);
  const isGood = ({ name, mark }: StoredArchive) => mark !== undefined || question.readBack.includes(name);
  const plan = planRetention({
    archives: stored.map((archive) => ({ ...archive, isGood: isGood(archive) })),
    keep: question.keep,
    now: deps.clock.now(),
    protected: [...question.readBack, ...(whole === undefined ? [] : [whole.name])],
  });
  const outcome = {
    removed: [] as string[],
    hidden: [] as string[],
    failed: [] as { name: string; because: string }[],
  };
  const kept = [...plan.kept];
  for (const warning of plan.warnings) deps.log.warn(warning);
  for (const name of plan.removed) {
    if (question.dryRun) {
      outcome.removed.push(name);
      continue;
    }
    try {
      const became = await blobs.remove(name, deps.signal);
      if (became !== "locked") await removeMark(deps, blobs, name);
      if (became === "removed") outcome.removed.push(name);
      if (became === "hidden") outcome.hidden.push(name);
      if (became === "locked") kept.push({ name, because: "still locked, or we may not delete" });
    } catch (thrown) {
      deps.signal.throwIfAborted();
      outcome.failed.push({ name, because: sentenceOf(thrown) });
    }
  }
  return { kept, ...outcome, warnings: plan.warnings };
}

async function removeMark(deps: BackupDeps, blobs: Blobs, archive: string): Promise<void> {
  await blobs.remove(markName(archive), deps.signal).catch((thrown: unknown) => {
    deps.signal.throwIfAborted();
    deps.log.warn({ archive, because: sentenceOf(thrown) }, "the mark of a removed archive could not be removed");
  });
}

function printPlan(deps: BackupDeps, pruned: Pruned, dryRun: boolean): void {
  for (const warning of pruned.warnings) deps.print(`WARNING: ${warning}`);
  for (const { name, because } of pruned.kept) deps.print(`kept: ${name} (${because})`);
  for (const name of pruned.removed) deps.print(`${dryRun ? "would remove" : "removed"}: ${name}`);
  for (const name of pruned.hidden) deps.print(`hidden, not freed: ${name}`);
  for (const { name, because } of pruned.failed) deps.print(`NOT removed: ${name}: ${because}`);
}
