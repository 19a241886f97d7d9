import { timeOfAncestorArchive } from "@nest/archive";
import { NestError } from "@nest/kit";
import { ancestorArchives, verifyAncestor } from "../archives/ancestor-archives.ts";
import { checkArchive, fileSource } from "../archives/archive-source.ts";
import { archiveJson, gapReport, okLine } from "../archives/report.ts";
import { hubArchives, verifyStored } from "../archives/stored-archives.ts";
import type { BackupDeps } from "../deps/deps.ts";
import { hubIdOf, keyFrom, readSettings } from "../settings/settings.ts";
import type { Blobs } from "../storage/blobs.ts";

export interface VerifyFlags {
  readonly file?: string;
  readonly name?: string;
  readonly json?: boolean;
}

/**
 * `verify`: verifies the newest archive in the storage (the ancestor's, where this hub has none yet), a named one, or a local file. Gaps are printed and do not fail it.
 */
export async function verify(deps: BackupDeps, flags: VerifyFlags): Promise<0> {
  const key = keyFrom(deps.environment);
  const { content, name, misnamed } =
    flags.file === undefined ? await stored(deps, flags, key) : await local(deps, flags.file, key);
  if (flags.json === true) deps.print(JSON.stringify({ archive: name, misnamed, ...archiveJson(content) }));
  else for (const line of [okLine(content), ...gapReport(content.manifest)]) deps.print(line);
  if (misnamed !== undefined && flags.json !== true) deps.print(`WARNING: ${misnamed}`);
  return 0;
}

async function local(deps: BackupDeps, file: string, key: ReturnType<typeof keyFrom>) {
  return { content: await checkArchive(deps, fileSource(file, deps.signal), key), name: file, misnamed: undefined };
}

async function stored(deps: BackupDeps, flags: VerifyFlags, key: ReturnType<typeof keyFrom>) {
  const blobs = await deps.openBlobs();
  const hubId = await hubIdOf(deps.environment, readSettings(deps.environment));
  const [newest] = await hubArchives(blobs, hubId, deps.signal);
  const name = flags.name ?? newest?.name ?? (await newestOfAncestor(deps, blobs));
  if (name === undefined) {
    throw new NestError("no_archives", `there are no archives of hub ${hubId} in the bucket`, {
      hint: "make one with nest-backup run, or check NEST_BACKUP_BUCKET and NEST_HUB_ID",
    });
  }
  const isAncestors = timeOfAncestorArchive(name) !== undefined;
  const { content, misnamed } = isAncestors
    ? await verifyAncestor(deps, blobs, { name, key })
    : await verifyStored(deps, blobs, { name, hubId, key });
  return { content, name, misnamed };
}

async function newestOfAncestor(deps: BackupDeps, blobs: Blobs): Promise<string | undefined> {
  const archives = await ancestorArchives(blobs, deps.signal);
  return archives.find(({ kind }) => kind === "hub")?.name;
}
