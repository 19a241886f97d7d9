import { extractArchive } from "@nest/archive";
import { UsageError } from "@nest/kit";
import { namedSource } from "../archive-source.ts";
import type { Parts } from "../parts.ts";
import { archiveJson, gapReport } from "../report.ts";
import { keyFrom } from "../settings.ts";

export interface ExtractFlags {
  readonly file?: string;
  readonly name?: string;
  readonly dest?: string;
  readonly path?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `extract`: decrypts into a directory and verifies hashes; nothing is there before all of it was found good. */
export async function extract(parts: Parts, flags: ExtractFlags): Promise<0> {
  if (flags.dest === undefined) throw new UsageError("extract needs -dest DIR");
  const source = await namedSource(parts, flags);
  const content = await extractArchive({
    sealed: source(),
    keys: [keyFrom(parts.environment)],
    destination: flags.dest,
    random: parts.random.hex(4),
    force: flags.force ?? false,
    signal: parts.signal,
    progress: ({ files }) => parts.tell(`extracting: ${files} files`),
    ...(flags.path === undefined ? {} : { path: flags.path }),
  });
  const { written } = content;
  if (flags.json === true) parts.print(JSON.stringify({ dest: flags.dest, written, ...archiveJson(content) }));
  else
    for (const line of [`extracted ${written} files to ${flags.dest}`, ...gapReport(content.manifest)])
      parts.print(line);
  return 0;
}
