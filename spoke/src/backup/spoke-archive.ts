import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  lookAtFile,
  MANIFEST_VERSION,
  type Manifest,
  type Member,
  NameSet,
  namedFile,
  openedMember,
  ReadBuffer,
  type StoredFile,
  treeFiles,
} from "@nest/archive";
import { NestError } from "@nest/kit";

const MEGABYTE = 1024 * 1024;
/** A larger file is left out and told. */
const MOST_FILE_BYTES = 64 * MEGABYTE;
/** More than this is no backup for a browser: use the host's. */
const MOST_BYTES = 256 * MEGABYTE;

export interface SpokeFiles {
  /** How many files there were to store when they were counted. */
  readonly count: number;
  /** Each file is opened when it is asked for, and to be used up before the next. */
  members(): AsyncGenerator<Member>;
  /** Folders directly under `beads/`. */
  readonly beadFolders: number;
  /** What could not be stored, or not for certain as it was, with the reason. Grows while the members are written. */
  readonly skipped: Record<string, string>;
}

/**
 * The files of a spoke's archive (spec: Spoke backup archive): configuration, identity, state, the code-host app's private keys
 * and the agents' work ledger. Everything else is derived or too large; the backup key and live sessions are never in it. An
 * absent file is no gap. Nothing is read before it is asked for: whoever downloads slowly costs no memory.
 *
 * @throws NestError `backup_too_large`.
 */
export function collectSpokeFiles(dataFolder: string): SpokeFiles {
  const skipped: Record<string, string> = {};
  const options = {
    names: new NameSet(),
    skipped: (path: string, reason: string) => {
      skipped[path] = reason;
    },
    mostFileBytes: MOST_FILE_BYTES,
    buffer: new ReadBuffer(),
  };
  const present = listed(dataFolder);
  const runtime = present.has("nest.yaml.runtime") ? "nest.yaml.runtime" : "nest.yaml.bak";
  const keys = [...present].filter((name) => /^app-key[A-Za-z0-9._-]*\.pem$/.test(name)).sort();
  const wanted = ["nest.yaml.dashboard", runtime, "nest-id", "nest-state.json", ...keys].filter((name) =>
    present.has(name),
  );
  const named = wanted.flatMap((name) => namedFile({ source: join(dataFolder, name), path: `spoke/${name}` }, options));
  const beads = present.has("beads") ? treeFiles({ ...options, root: join(dataFolder, "beads"), prefix: "beads" }) : [];
  let bytes = 0;
  const files = [...named, ...beads].filter(({ source, path }) => {
    const looked = lookAtFile(source, MOST_FILE_BYTES);
    if ("refused" in looked) skipped[path] = looked.refused;
    else bytes += looked.size;
    return !("refused" in looked);
  });
  if (bytes > MOST_BYTES) {
    throw new NestError(
      "backup_too_large",
      `this nest has ${Math.ceil(bytes / MEGABYTE)} MiB to back up, a download takes ${MOST_BYTES / MEGABYTE}`,
      {
        hint: "archive the data volume on the host instead; docs/operations.md says how",
      },
    );
  }
  async function* members() {
    for (const file of files) {
      const isLedger = file.path.startsWith("beads/");
      yield* openedMember(file, { ...options, ...(isLedger ? {} : { mode: 0o600 }) });
    }
  }
  return { count: files.length, members, beadFolders: foldersIn(join(dataFolder, "beads")), skipped };
}

export interface ManifestFacts {
  readonly nestId: string;
  readonly version: string;
  readonly archiveId: string;
  readonly dataFolder: string;
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** The manifest of a spoke's archive. */
export function spokeManifest(
  files: readonly StoredFile[],
  skipped: Readonly<Record<string, string>>,
  facts: ManifestFacts,
): Manifest {
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    format_version: MANIFEST_VERSION,
    kind: "spoke",
    created_at: iso(facts.startedAt),
    hub_data_dir: facts.dataFolder,
    files: [...files],
    spoke_ids: [facts.nestId],
    spoke_errors: {},
    secret_names: [],
    tool_version: facts.version,
    archive_id: facts.archiveId,
    started_at: iso(facts.startedAt),
    finished_at: iso(facts.finishedAt),
    skipped: { ...skipped },
    totals: { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) },
  };
}

function listed(folder: string): ReadonlySet<string> {
  return new Set(readdirSync(folder));
}

function foldersIn(folder: string): number {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).length;
  } catch {
    return 0;
  }
}
