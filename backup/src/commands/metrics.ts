import type { Manifest } from "@nest/archive";
import { readTextIfPresent, writeFileAtomic } from "@nest/kit";

export interface RunFacts {
  readonly startedAt: number;
  readonly endedAt: number;
  /** Absent when the run failed. */
  readonly made?: { readonly manifest: Manifest; readonly bytes: number };
}

const LAST_SUCCESS = "nest_backup_last_success_timestamp_seconds";

/**
 * Writes the run's metrics as Prometheus text for a textfile collector (`NEST_BACKUP_METRICS_FILE`). A failed run keeps the
 * time of the last success.
 */
export async function writeMetrics(file: string | undefined, facts: RunFacts): Promise<void> {
  if (file === undefined) return;
  const before = await readTextIfPresent(file).catch(() => undefined);
  const lastSuccess = facts.made === undefined ? successIn(before) : facts.endedAt / 1000;
  await writeFileAtomic(file, metricsText(facts, lastSuccess), { mode: 0o644 });
}

function metricsText(facts: RunFacts, lastSuccess: number | undefined): string {
  const { made } = facts;
  const rows: (readonly [name: string, help: string, value: number | undefined])[] = [
    ["nest_backup_last_run_timestamp_seconds", "When the last run ended.", facts.endedAt / 1000],
    ["nest_backup_last_run_success", "Whether the last run made a verified archive.", Number(made !== undefined)],
    [LAST_SUCCESS, "When a run last made a verified archive.", lastSuccess],
    ["nest_backup_duration_seconds", "How long the last run took.", (facts.endedAt - facts.startedAt) / 1000],
    ["nest_backup_archive_bytes", "Size of the sealed archive.", made?.bytes],
    ["nest_backup_files", "Files in the archive.", made?.manifest.files.length],
    ["nest_backup_spokes_ok", "Spokes in the archive.", made?.manifest.spoke_ids?.length ?? (made && 0)],
    [
      "nest_backup_spokes_failed",
      "Spokes that could not be read.",
      made && Object.keys(made.manifest.spoke_errors ?? {}).length,
    ],
    [
      "nest_backup_files_skipped",
      "Files that could not be stored.",
      made && Object.keys(made.manifest.skipped ?? {}).length,
    ],
  ];
  return rows
    .filter(([, , value]) => value !== undefined)
    .map(([name, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`)
    .join("");
}

function successIn(text: string | undefined): number | undefined {
  const value = Number(new RegExp(`^${LAST_SUCCESS} (\\S+)$`, "m").exec(text ?? "")?.[1]);
  return Number.isFinite(value) ? value : undefined;
}
