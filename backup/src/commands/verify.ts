import { NestError } from "@nest/kit";
import { checkArchive, fileSource } from "../archive-source.ts";
import type { Parts } from "../parts.ts";
import { archiveJson, gapReport, okLine } from "../report.ts";
import { hubIdOf, keyFrom, readSettings } from "../settings.ts";
import { hubArchives, verifyStored } from "../stored-archives.ts";

export interface VerifyFlags {
  readonly file?: string;
  readonly name?: string;
  readonly json?: boolean;
}

/** `verify`: the newest archive in the storage, one that is named, or a local file. Gaps are printed and are no fault of the archive. */
export async function verify(parts: Parts, flags: VerifyFlags): Promise<0> {
  const key = keyFrom(parts.environment);
  const { content, name, misnamed } =
    flags.file === undefined ? await stored(parts, flags, key) : await local(parts, flags.file, key);
  if (flags.json === true) parts.print(JSON.stringify({ archive: name, misnamed, ...archiveJson(content) }));
  else for (const line of [okLine(content), ...gapReport(content.manifest)]) parts.print(line);
  if (misnamed !== undefined && flags.json !== true) parts.print(`WARNING: ${misnamed}`);
  return 0;
}

async function local(parts: Parts, file: string, key: ReturnType<typeof keyFrom>) {
  return { content: await checkArchive(parts, fileSource(file, parts.signal), key), name: file, misnamed: undefined };
}

async function stored(parts: Parts, flags: VerifyFlags, key: ReturnType<typeof keyFrom>) {
  const blobs = await parts.openBlobs();
  const hubId = await hubIdOf(parts.environment, readSettings(parts.environment));
  const [newest] = await hubArchives(blobs, hubId, parts.signal);
  const name = flags.name ?? newest?.name;
  if (name === undefined) {
    throw new NestError("no_archives", `there are no archives of hub ${hubId} in the bucket`, {
      hint: "make one with nest-backup run, or check NEST_BACKUP_BUCKET and NEST_HUB_ID",
    });
  }
  const { content, misnamed } = await verifyStored(parts, blobs, { name, hubId, key });
  return { content, name, misnamed };
}
