import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  MANIFEST_VERSION,
  type Manifest,
  type Member,
  NameSet,
  type StoredFile,
  singleMember,
  treeMembers,
} from "@nest/archive";
import { NestError } from "@nest/kit";

const MEGABYTE = 1024 * 1024;
/** A larger file is left out and told. */
const MOST_FILE_BYTES = 64 * MEGABYTE;
/** More than this is no backup for a browser: use the host's. */
const MOST_BYTES = 256 * MEGABYTE;

export interface SpokeFiles {
  readonly members: readonly Member[];
  /** Folders directly under `beads/`. */
  readonly beadFolders: number;
  /** What could not be stored, or not for certain as it was, with the reason. Grows while the members are written. */
  readonly skipped: Record<string, string>;
}

/**
 * The files of a spoke's archive (spec: Spoke backup archive): configuration, identity, state, the code-host app's private keys
 * and the agents' work ledger. Everything else is derived or too large; the backup key and live sessions are never in it. An
 * absent file is no gap.
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
  };
  const present = listed(dataFolder);
  const runtime = present.has("nest.yaml.runtime") ? "nest.yaml.runtime" : "nest.yaml.bak";
  const keys = [...present].filter((name) => /^app-key[A-Za-z0-9._-]*\.pem$/.test(name)).sort();
  const wanted = ["nest.yaml.dashboard", runtime, "nest-id", "nest-state.json", ...keys].filter((name) =>
    present.has(name),
  );
  const members: Member[] = wanted.flatMap((name) =>
    singleMember(join(dataFolder, name), `spoke/${name}`, { ...options, mode: 0o600 }),
  );
  if (present.has("beads"))
    members.push(...treeMembers({ ...options, root: join(dataFolder, "beads"), prefix: "beads" }));
  const bytes = members.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MOST_BYTES) {
    throw new NestError(
      "backup_too_large",
      `this nest has ${Math.ceil(bytes / MEGABYTE)} MiB to back up, a download takes ${MOST_BYTES / MEGABYTE}`,
      {
        hint: "archive the data volume on the host instead; docs/operations.md says how",
      },
    );
  }
  return { members, beadFolders: foldersIn(join(dataFolder, "beads")), skipped };
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
