import { z } from "zod";
import { inconsistent } from "./errors.ts";

export const MANIFEST_NAME = "MANIFEST.json";
/** The manifest is read into memory; this is enough for about a million files. */
export const MOST_MANIFEST_BYTES = 256 * 1024 * 1024;
export const MANIFEST_VERSION = 1;

/** One stored file. Every member has a row, except the manifest itself. */
export const StoredFile = z.object({
  path: z.string(),
  size: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type StoredFile = z.infer<typeof StoredFile>;

const reasons = z.record(z.string(), z.string());
const names = z.array(z.string());

/**
 * `MANIFEST.json`, the last member. The older form has only the first group of fields; the later ones may be absent. Unknown
 * fields are kept.
 */
export const Manifest = z.looseObject({
  format_version: z.number().int(),
  created_at: z.string(),
  hub_data_dir: z.string().optional(),
  files: z.array(StoredFile),
  spoke_ids: names.nullish(),
  spoke_errors: reasons.nullish(),
  secret_names: names.nullish(),

  kind: z.enum(["hub", "spoke"]).optional(),
  tool_version: z.string().optional(),
  hub_id: z.string().optional(),
  archive_id: z.string().optional(),
  started_at: z.string().optional(),
  finished_at: z.string().optional(),
  /** Files that are missing from the archive, or that changed while they were read, with the reason. */
  skipped: reasons.optional(),
  /** Spokes in the registry that are on no cluster of this hub. */
  spoke_skipped_registry: reasons.optional(),
  warnings: names.optional(),
  totals: z.object({ files: z.number().int(), bytes: z.number().int() }).optional(),
  /** Whether nothing is missing, or the operator accepted what is missing; absent: judge by the gaps. */
  whole: z.boolean().optional(),
  /** Present when it contains much less than `previous`: a sentence. */
  much_less: z.string().optional(),
  /** The last whole archive before this one. */
  previous: z.object({ name: z.string(), files: z.number().int(), spokes: z.number().int() }).optional(),
});
export type Manifest = z.infer<typeof Manifest>;

/** The manifest's text: JSON, indented by two. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/**
 * Parses a manifest. @throws NestError `archive_inconsistent` for an invalid text, or another version (with both numbers).
 */
export function readManifest(text: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw inconsistent("MANIFEST.json is not JSON");
  }
  const version = (value as { format_version?: unknown } | null)?.format_version;
  if (version !== MANIFEST_VERSION) {
    throw inconsistent(
      `MANIFEST.json has format_version ${JSON.stringify(version)}, this release reads ${MANIFEST_VERSION}`,
    );
  }
  const checked = Manifest.safeParse(value);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  throw inconsistent(`MANIFEST.json is not valid at ${issue?.path.join(".")}: ${issue?.message.toLowerCase()}`);
}

/** Compares the stored files with the manifest. @throws NestError `archive_inconsistent` naming the first difference. */
export function compareWithManifest(stored: ReadonlyMap<string, StoredFile>, manifest: Manifest): void {
  const named = new Set<string>();
  for (const { path, size, sha256 } of manifest.files) {
    if (named.has(path)) throw inconsistent(`MANIFEST.json names ${path} twice`);
    named.add(path);
    const file = stored.get(path);
    if (file === undefined) throw inconsistent(`${path} is in MANIFEST.json and not in the archive`);
    if (file.size !== size) throw inconsistent(`${path} has ${file.size} bytes, MANIFEST.json says ${size}`);
    if (file.sha256 !== sha256) throw inconsistent(`${path} does not have the SHA-256 that MANIFEST.json names`);
  }
  for (const path of stored.keys()) {
    if (!named.has(path)) throw inconsistent(`${path} is in the archive and not in MANIFEST.json`);
  }
}
