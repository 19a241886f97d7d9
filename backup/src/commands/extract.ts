import { extractArchive } from "@nest/archive";
import { UsageError } from "@nest/kit";
import { namedSource } from "../archives/archive-source.ts";
import { archiveJson, gapReport } from "../archives/report.ts";
import type { BackupDeps } from "../deps/deps.ts";
import { keyFrom } from "../settings/settings.ts";

export interface ExtractFlags {
  readonly file?: string;
  readonly name?: string;
  readonly dest?: string;
  readonly path?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `extract`: decrypts into a directory and verifies hashes; no file appears before the whole archive was verified. */
export async function extract(deps: BackupDeps, flags: ExtractFlags): Promise<0> {
  if (flags.dest === undefined) throw new UsageError("extract needs -dest DIR");
  const source = await namedSource(deps, flags);
  const content = await extractArchive({
    sealed: source(),
    keys: [keyFrom(deps.environment)],
    destination: flags.dest,
    random: deps.random.hex(4),
    force: flags.force ?? false,
    signal: deps.signal,
    progress: ({ files }) => deps.tell(`extracting: ${files} files`),
    ...(flags.path === undefined ? {} : { path: flags.path }),
  });
  const { written } = content;
  if (flags.json === true) deps.print(JSON.stringify({ dest: flags.dest, written, ...archiveJson(content) }));
  else
    for (const line of [`extracted ${written} files to ${flags.dest}`, ...gapReport(content.manifest)])
      deps.print(line);
  return 0;
}
