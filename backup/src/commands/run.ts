import { randomBytes } from "node:crypto";
import { type ArchiveKey, archiveName, type Manifest, timeOfHubArchive, writeArchive } from "@nest/archive";
import { NestError, sentenceOf, UsageError } from "@nest/kit";
import { checkArchive, fileSource } from "../archives/archive-source.ts";
import { hashed } from "../archives/hashed.ts";
import { writeLocal } from "../archives/local-file.ts";
import { gapLines } from "../archives/report.ts";
import { unchanged } from "../archives/stored-archives.ts";
import { archiveOfMark, markVerified } from "../archives/verified-mark.ts";
import { type CollectedHub, collectHub } from "../collect/collect-hub.ts";
import type { BackupDeps } from "../deps/deps.ts";
import { bucketFrom, hubIdOf, keyFrom, readSettings, type Settings } from "../settings/settings.ts";
import type { Blobs } from "../storage/blobs.ts";
import { muchLess, readBaseline } from "./baseline.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { writeMetrics } from "./metrics.ts";
import { type Pruned, pruneArchives } from "./prune.ts";

export interface RunFlags {
  readonly local?: string;
  readonly "skip-spokes"?: boolean;
  readonly "skip-secrets"?: boolean;
  readonly "no-prune"?: boolean;
  readonly "gaps-ok"?: boolean;
  readonly "less-ok"?: boolean;
  readonly codec?: string;
  readonly json?: boolean;
}

/** An unfinished upload of ours is cancelled after this time, when no run can still be writing it. */
const SWEEP_AFTER_MS = 24 * 60 * 60 * 1000;
const NAME_ATTEMPTS = 5;
/** How far a name may be ahead of the clock before it would count as stamped by a wrong clock. */
const MOST_AHEAD_MS = 9 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
const MIB = 1024 * 1024;

interface Made {
  readonly dest: string;
  readonly manifest: Manifest;
  readonly bytes: number;
  readonly pruned?: Pruned;
  readonly dropped?: string;
  /** Warnings for the operator that do not concern the archive's content. */
  readonly warnings: readonly string[];
}

/**
 * `run`: collects, encrypts, stores, reads back and verifies, and only then prunes.
 *
 * @returns 0, or 3 when the archive is valid but something is missing from it, or a delete failed.
 */
export async function run(deps: BackupDeps, flags: RunFlags): Promise<ExitCode> {
  if (flags.codec !== undefined && flags.codec !== "gzip" && flags.codec !== "zstd") {
    throw new UsageError(`flag -codec takes gzip or zstd, not "${flags.codec}"`);
  }
  const key = keyFrom(deps.environment);
  const settings = readSettings(deps.environment);
  if (flags.local === undefined) bucketFrom(deps.environment);
  const startedAt = deps.clock.now();
  const hubId = await hubIdOf(deps.environment, settings);
  try {
    const made =
      flags.local === undefined
        ? await toStorage(deps, flags, { key, settings, hubId })
        : await toFile(deps, flags, { key, settings, hubId });
    const gaps = gapLines(made.manifest).length;
    print(deps, flags, made);
    await writeMetrics(settings.metricsFile, { startedAt, endedAt: deps.clock.now(), made }).catch(
      (thrown: unknown) => {
        // The archive is made; a run that ended as failed would be repeated.
        deps.log.error({ because: sentenceOf(thrown) }, "the figures could not be written");
      },
    );
    const isWhole =
      (gaps === 0 || flags["gaps-ok"] === true) &&
      made.dropped === undefined &&
      (made.pruned?.failed ?? []).length === 0;
    return isWhole ? EXIT.ok : EXIT.gaps;
  } catch (thrown) {
    await writeMetrics(settings.metricsFile, { startedAt, endedAt: deps.clock.now() }).catch(() => {});
    throw thrown;
  }
}

interface Context {
  readonly key: ArchiveKey;
  readonly settings: Settings;
  readonly hubId: string;
}

async function toFile(deps: BackupDeps, flags: RunFlags, context: Context): Promise<Made> {
  await using hub = await collect(deps, flags, context);
  const sealed = seal(deps, flags, { hub, key: context.key });
  const file = flags.local ?? "";
  const check = async (written: string) => {
    await checkArchive(deps, fileSource(written, deps.signal), context.key);
  };
  await writeLocal({ file, random: deps.random.hex(4), content: sealed.content, check });
  return { dest: file, manifest: sealed.manifest(), bytes: sealed.bytes(), warnings: [] };
}

async function toStorage(deps: BackupDeps, flags: RunFlags, context: Context): Promise<Made> {
  const blobs = await deps.openBlobs();
  const { before, strangers, taken } = await readBaseline(deps, { blobs, ...context });
  await sweep(deps, blobs, context.hubId);
  await using hub = await collect(deps, flags, context, before);
  const stored = await store(deps, flags, { blobs, hub, taken, ...context });
  const unnoted = await readBack(deps, { blobs, ...stored, ...context });
  const newcomers = strangers.map(
    (name) => `${name} looks new and was never found good; it takes no other archive's place`,
  );
  const warnings = unnoted === undefined ? newcomers : [...newcomers, unnoted];
  const made = { dest: stored.name, manifest: stored.manifest, bytes: stored.bytes, warnings };
  const dropped = stored.manifest.much_less;
  if (dropped !== undefined) return { ...made, dropped };
  if (flags["no-prune"] === true) return made;
  return { ...made, pruned: await pruneAfterRun(deps, blobs, stored.name, context) };
}

/** Prunes after the archive was made: a failure is reported, but is no reason to make the archive again. */
async function pruneAfterRun(deps: BackupDeps, blobs: Blobs, name: string, context: Context): Promise<Pruned> {
  const { hubId, key, settings } = context;
  try {
    const question = { blobs, hubId, key, keep: settings.retention, readBack: [name], dryRun: false };
    return await pruneArchives(deps, question);
  } catch (thrown) {
    deps.signal.throwIfAborted();
    const failed = [{ name: "older archives", because: sentenceOf(thrown) }];
    return { kept: [], removed: [], hidden: [], failed, warnings: [] };
  }
}

function collect(
  deps: BackupDeps,
  flags: RunFlags,
  context: Context,
  previous?: Manifest["previous"],
): Promise<CollectedHub> {
  return collectHub(deps, {
    settings: context.settings,
    hubId: context.hubId,
    skipSpokes: flags["skip-spokes"] ?? false,
    skipSecrets: flags["skip-secrets"] ?? false,
    archiveId: deps.random.hex(16),
    toolVersion: deps.version,
    ...(previous === undefined ? {} : { previous }),
  });
}

/** Adds to the manifest what later runs need: whether they may compare themselves with this archive, and prune older ones. */
function withCompleteness(hub: CollectedHub, manifest: Manifest, flags: RunFlags): Manifest {
  const { previous } = manifest;
  const skipsSpokes = flags["skip-spokes"] === true;
  const less = flags["less-ok"] === true ? undefined : muchLess(previous, hub, skipsSpokes);
  const isComplete = gapLines(manifest).length === 0 || flags["gaps-ok"] === true;
  const isPartOnly = skipsSpokes && (previous?.spokes ?? 0) > 0;
  const whole = isComplete && !isPartOnly && less === undefined;
  return { ...manifest, whole, ...(less === undefined ? {} : { much_less: less }) };
}

/** Encrypts a hub. Yields the bytes; their number, their hash and the manifest are known at the end. */
function seal(deps: BackupDeps, flags: RunFlags, from: { readonly hub: CollectedHub; readonly key: ArchiveKey }) {
  let manifest: Manifest | undefined;
  const sealed = hashed(
    writeArchive({
      key: from.key,
      salt: randomBytes(32),
      codec: flags.codec === "zstd" ? "zstd" : "gzip",
      members: from.hub.members(),
      manifest: (files) => {
        manifest = withCompleteness(from.hub, from.hub.manifest(files), flags);
        return manifest;
      },
      progress: ({ files, bytes }) => deps.tell(`storing: ${files} files, ${Math.round(bytes / MIB)} MiB`),
      signal: deps.signal,
    }),
  );
  return {
    ...sealed,
    manifest(): Manifest {
      if (manifest === undefined) throw new Error("the archive was not written to its end");
      return manifest;
    },
  };
}

async function store(
  deps: BackupDeps,
  flags: RunFlags,
  from: Context & { readonly blobs: Blobs; readonly hub: CollectedHub; readonly taken: ReadonlySet<string> },
): Promise<{ name: string; manifest: Manifest; bytes: number; sha256: string; lockedUntil: number | undefined }> {
  const metadata = { files: String(from.hub.plannedFiles), spokes: String(from.hub.spokes) };
  const { lockDays } = from.settings;
  for (let attempt = 0; ; attempt += 1) {
    const now = deps.clock.now();
    const name = freeName(from, now + attempt * 1000);
    const lockedUntil = lockDays === undefined ? undefined : now + lockDays * DAY_MS;
    const lock = lockedUntil === undefined ? {} : { lockedUntil };
    // An interrupted archive is made again from the beginning, with another salt.
    const sealed = seal(deps, flags, from);
    try {
      await from.blobs.put(name, sealed.content, { metadata, signal: deps.signal, ...lock });
      return { name, manifest: sealed.manifest(), bytes: sealed.bytes(), sha256: sealed.sha256(), lockedUntil };
    } catch (thrown) {
      const isTaken = thrown instanceof NestError && thrown.code === "blob_exists";
      if (!isTaken || attempt + 1 >= NAME_ATTEMPTS) throw thrown;
    }
  }
}

/** Finds a name whose second is free, as far as known before the work begins. */
function freeName(
  { hubId, taken }: { readonly hubId: string; readonly taken: ReadonlySet<string> },
  from: number,
): string {
  for (let at = from; at < from + MOST_AHEAD_MS; at += 1000) {
    const name = archiveName("hub", hubId, at);
    if (!taken.has(name)) return name;
  }
  return archiveName("hub", hubId, from);
}

/**
 * Downloads what was stored, verifies it and stores its mark.
 *
 * @returns a sentence when the mark could not be stored.
 * @throws NestError `read_back_failed`; then only that object is removed.
 */
async function readBack(
  deps: BackupDeps,
  stored: Context & {
    readonly blobs: Blobs;
    readonly name: string;
    readonly sha256: string;
    readonly bytes: number;
    readonly manifest: Manifest;
    readonly lockedUntil: number | undefined;
  },
): Promise<string | undefined> {
  const { blobs, name } = stored;
  const before = await blobs.facts(name, deps.signal).catch(() => undefined);
  deps.signal.throwIfAborted();
  try {
    const back = hashed(blobs.get(name, deps.signal));
    await checkArchive(deps, back.content, stored.key);
    if (back.sha256() !== stored.sha256)
      throw new NestError("read_back_failed", "the storage gave back other bytes than it was given");
  } catch (thrown) {
    deps.signal.throwIfAborted();
    await blobs.remove(name, deps.signal).catch((failed: unknown) => {
      deps.log.error({ name, because: sentenceOf(failed) }, "the bad archive could not be removed either");
    });
    throw new NestError("read_back_failed", `the archive was stored but did not verify: ${sentenceOf(thrown)}`, {
      hint: "nothing was pruned; the older archives are as they were",
      cause: thrown,
    });
  }
  const lock = stored.lockedUntil === undefined ? {} : { lockedUntil: stored.lockedUntil };
  try {
    const read = before ?? (await blobs.facts(name, deps.signal));
    const row = await unchanged(blobs, { ...read, bytes: stored.bytes }, deps.signal);
    const found = { row, sha256: stored.sha256, at: deps.clock.now(), manifest: stored.manifest, ...lock };
    await markVerified(blobs, stored.key, found, deps.signal);
    return undefined;
  } catch (thrown) {
    deps.signal.throwIfAborted();
    return `that ${name} was found good could not be noted in the storage: ${sentenceOf(thrown)}`;
  }
}

async function sweep(deps: BackupDeps, blobs: Blobs, hubId: string): Promise<void> {
  const isOurs = (name: string) => timeOfHubArchive(archiveOfMark(name) ?? name, hubId) !== undefined;
  const before = deps.clock.now() - SWEEP_AFTER_MS;
  const swept = await blobs.sweep(isOurs, before, deps.signal).catch((thrown: unknown) => {
    deps.signal.throwIfAborted();
    deps.log.warn({ because: sentenceOf(thrown) }, "abandoned uploads could not be listed");
    return 0;
  });
  if (swept > 0) deps.log.info({ swept }, "ended abandoned uploads");
}

function print(deps: BackupDeps, flags: RunFlags, made: Made): void {
  const { manifest, pruned } = made;
  const spokes = (manifest.spoke_ids ?? []).length;
  const secrets = (manifest.secret_names ?? []).length;
  if (flags.json === true) {
    const { files, ...rest } = manifest;
    deps.print(
      JSON.stringify({
        dest: made.dest,
        files: files.length,
        spokes,
        secrets,
        sealed_bytes: made.bytes,
        manifest: rest,
        pruned,
        dropped: made.dropped,
        warnings: made.warnings,
      }),
    );
    return;
  }
  deps.print(`backup complete: ${made.dest}`);
  deps.print(`files: ${manifest.files.length}`);
  deps.print(`spokes: ${spokes}`);
  deps.print(`secrets: ${secrets}`);
  for (const warning of [...(manifest.warnings ?? []), ...made.warnings]) deps.print(`WARNING: ${warning}`);
  const gaps = gapLines(manifest);
  const spokeGaps = Object.keys(manifest.spoke_errors ?? {}).length;
  if (gaps.length > 0) deps.print(`SPOKE GAPS: ${spokeGaps}, FILE GAPS: ${gaps.length - spokeGaps} (see manifest)`);
  for (const gap of gaps) deps.print(`  ${gap}`);
  if (made.dropped !== undefined) {
    deps.print(`NOT PRUNED: much less than before: ${made.dropped}`);
    deps.print("  if that is as it should be, say so once: nest-backup run -less-ok");
  }
  for (const name of pruned?.removed ?? []) deps.print(`pruned: ${name}`);
  for (const { name, because } of pruned?.failed ?? []) deps.print(`NOT PRUNED: ${name}: ${because}`);
}
